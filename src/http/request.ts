// Reading a request before its schema is asked: the query as one value a name, the page token against the list it was made for,
// the body as JSON.
import type { Cursor } from './cursor.ts';
import { invalid } from './http-error.ts';

/** A query as it was sent. */
export type Asked = Readonly<Record<string, string>>;

/** A parameter given twice is ambiguous, so it is refused rather than guessed at. */
export function queryOf({ url }: Pick<Request, 'url'>): Asked {
  const { searchParams } = new URL(url);
  const names = [...searchParams.keys()];
  const repeated = names.filter((name, index) => names.indexOf(name) !== index);
  if (repeated.length > 0)
    throw invalid(...[...new Set(repeated)].map((parameter) => ({ message: 'given more than once', parameter })));
  return Object.fromEntries(searchParams);
}

/** What the list was asked for, besides which part of it. */
export function filtersOf(asked: Asked): Asked {
  const { count: _count, page_token: _token, ...filters } = asked;
  return filters;
}

/** A token stands for everything its list was asked with. Who repeats some of it has to say the same. */
export function cursorIn(asked: Asked, read: (token: string) => Cursor | undefined): Cursor | undefined {
  const { page_token: token } = asked;
  if (token === undefined) return undefined;
  const refuse = (message: string): Error => invalid({ message, parameter: 'page_token' });
  const cursor = read(token);
  if (cursor === undefined) throw refuse('not a token of this list, or expired: begin again without it');
  const changed = Object.entries(filtersOf(asked)).filter(([name, value]) => cursor.filters[name] !== value);
  if (changed.length > 0)
    throw refuse(`made for the list with another ${changed.map(([name]) => name).join(', ')}: begin again without it`);
  return cursor;
}

export async function jsonOf(request: Pick<Request, 'headers' | 'arrayBuffer'>): Promise<unknown> {
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/json\s*(;|$)/i.test(type))
    throw invalid({ message: 'Send the header Content-Type: application/json.' });
  try {
    return JSON.parse(utf8.decode(await request.arrayBuffer())) as unknown;
  } catch (error) {
    // The limit on the body speaks through the same read.
    if (error instanceof SyntaxError) throw invalid({ message: 'The body is not JSON.' });
    if (error instanceof TypeError) throw invalid({ message: 'The body is not UTF-8.' });
    throw error;
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });
