// Why a question is refused: the wrong table, column, operator or word, with the nearest right one. A value is never repeated.
import { nearestName } from '#src/base/did-you-mean.ts';
import { invalid, type HttpError } from '#src/http/http-error.ts';

/** A comparison with longer names takes time and finds nothing. */
const longestName = 63;

/** `Did you mean outcome?`, with a blank before it; empty where no name is similar. */
export function suggestion(typed: string, names: readonly string[]): string {
  const nearest = typed.length > longestName ? undefined : nearestName(names, typed);
  return nearest === undefined ? '' : ` Did you mean ${nearest}?`;
}

/** What the caller wrote, where it can only be a name of ours that is written wrongly. */
export const quoted = (typed: string): string => (/^\w{1,63}$/.test(typed) ? `"${typed}"` : 'this');

export const refuse = (parameter: string, message: string): HttpError =>
  invalid({ message, parameter: /^[\w.]{1,70}$/.test(parameter) ? parameter : 'query' });
