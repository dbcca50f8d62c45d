// Every value that was sent under a header name, separately: two values are a forgery or an error.
import type { HeaderLookup } from './signature.ts';

/** Node's own list of names and values, which are not joined. */
export function rawHeaderValues(raw: readonly string[]): HeaderLookup {
  return (name) => raw.filter((_, at) => at % 2 === 1 && raw[at - 1]?.toLowerCase() === name);
}

/**
 * The headers of a web request are joined with a comma and a space, and a joined pair can look like a list, so it is taken apart again:
 * there, a list with spaces behind its commas is refused.
 */
export const joinedValues = (value: string | null | undefined): readonly string[] => value?.split(', ') ?? [];
