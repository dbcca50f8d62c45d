// The page that is asked for: its token carries the question and the row from which it begins, so the token alone is enough.
import { z } from 'zod';
import type { PaginationEnvelope } from '#schemas/resources/envelope.ts';
import type { Cursors } from '#src/http/cursor.ts';
import { invalid, titledError } from '#src/http/http-error.ts';
import type { PageOfRows, RowsFound } from '#src/read/tables/rows.ts';
import type { Parameters } from './grammar.ts';
import { refuse } from './refusal.ts';

export interface AskedPage {
  /** The question, without what selects a page or a form. */
  readonly parameters: Parameters;
  readonly isRaw: boolean;
  readonly page: Pick<PageOfRows, 'from' | 'isBackwards'>;
}

const longestAddress = 8_192;
/** A row whose sort values are longer has no token: many servers refuse an address that is as long. */
const longestPosition = 2_000;

const ofPage: ReadonlySet<string> = new Set(['page_token', 'raw', 'limit']);
const position = z.array(z.union([z.string(), z.number(), z.boolean(), z.null()]));

export function readPage({ pathname, searchParams, search }: URL, cursors: Cursors): AskedPage {
  const [token, ...tokens] = searchParams.getAll('page_token');
  // A token is longer than its question.
  if (pathname.length + search.length - (token ?? '').length > longestAddress)
    throw titledError(414, `The address is longer than ${longestAddress} characters.`);
  if (tokens.length > 0) throw invalid({ message: 'given more than once', parameter: 'page_token' });
  const [raw = 'false', ...raws] = searchParams.getAll('raw');
  if (raws.length > 0 || !['true', 'false'].includes(raw)) throw refuse('raw', 'true or false, once');
  const given = [...searchParams].filter(([name]) => !ofPage.has(name));
  const limit = [...searchParams].filter(([name]) => name === 'limit');
  const isRaw = raw === 'true';
  if (token === undefined)
    return { parameters: [...given, ...limit], isRaw, page: { from: undefined, isBackwards: false } };
  const cursor = cursors.read(pathname, token);
  const question = cursor?.filters['question'];
  const { data: from } = position.safeParse(jsonIn(cursor?.position.from.key));
  if (cursor === undefined || question === undefined || from === undefined)
    throw invalid({
      message: 'not a token of this table, or expired: begin again without it',
      parameter: 'page_token',
    });
  if (given.length > 0 && questionText(given) !== question)
    throw invalid({ message: 'made for another question: begin again without it', parameter: 'page_token' });
  const parameters = [...new URLSearchParams(question), ...limit];
  return { parameters, isRaw, page: { from, isBackwards: cursor.position.backwards } };
}

function jsonIn(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}

function questionText(parameters: Parameters): string {
  const question = new URLSearchParams();
  for (const [name, text] of parameters) if (!ofPage.has(name)) question.append(name, text);
  return String(question);
}

interface Listed {
  readonly found: Omit<RowsFound, 'rows'> & { readonly rows: readonly unknown[] };
  readonly parameters: Parameters;
  readonly url: URL;
  readonly cursors: Cursors;
}

export function paginationOf({ found, parameters, url, cursors }: Listed): PaginationEnvelope {
  const list = { path: url.pathname, filters: { question: questionText(parameters) } };
  const tokenOf = (values: RowsFound['first'], backwards: boolean): string | null => {
    if (values === undefined) return null;
    const key = JSON.stringify(values);
    if (key.length > longestPosition)
      throw refuse('order', 'A value is too long for the token of the next page: sort by another column.');
    return cursors.write(list, { from: { key, uri: '' }, backwards });
  };
  const next = found.hasNext ? tokenOf(found.last, false) : null;
  const previous = found.hasPrevious ? tokenOf(found.first, true) : null;
  return {
    count: found.rows.length,
    next_page: pageUrl(url, next),
    previous_page: pageUrl(url, previous),
    next_page_token: next,
    previous_page_token: previous,
  };
}

/** Many servers, ours included, reject a longer request line. */
const longestPageUrl = 8_000;

function pageUrl(url: URL, token: string | null): string | null {
  if (token === null) return null;
  const page = new URL(url);
  page.searchParams.set('page_token', token);
  if (page.href.length <= longestPageUrl) return page.href;
  // The token carries the question as well.
  for (const name of new Set(page.searchParams.keys())) if (!ofPage.has(name)) page.searchParams.delete(name);
  return page.href;
}
