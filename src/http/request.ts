// Reads a request before its operation runs: the query, the page token, the JSON body, each checked against its schema.
import { parseAccept } from 'hono/utils/accept';
import { z } from 'zod';
import { timestamp } from '#schemas/wire.ts';
import { dayMs, instantOf } from '#src/base/time.ts';
import type { Cursor } from './cursor.ts';
import { invalid } from './http-error.ts';
import type { ErrorDetail } from './http-error.ts';

/** A query as it was sent, one value per name. */
export type RawQuery = Readonly<Record<string, string>>;

/** A parameter that is given twice is ambiguous, so it is an error. */
export function readQuery({ url }: Pick<Request, 'url'>): RawQuery {
  const { searchParams } = new URL(url);
  const names = [...searchParams.keys()];
  const repeated = names.filter((name, index) => names.indexOf(name) !== index);
  if (repeated.length > 0)
    throw invalid(...[...new Set(repeated)].map((parameter) => ({ message: 'given more than once', parameter })));
  return Object.fromEntries(searchParams);
}

/** As the public service reads a query: names that the operation does not know count as not sent, and a list may be written as `name[]`. */
export function readKnownQuery({ url }: Pick<Request, 'url'>, schema: z.ZodType | undefined): RawQuery {
  if (schema === undefined) return {};
  const sent = Map.groupBy(new URL(url).searchParams, ([name]) => name.replace(/\[\]$/, ''));
  const values = [...sent].map(([name, pairs]) => [name, pairs.map(([, value]) => value).join()] as const);
  const isUnknown = unknownNames(schema, Object.fromEntries(values));
  const known = values.filter(([name]) => !isUnknown.has(name));
  const isList = (name: string): boolean => (sent.get(name) ?? []).every(([written]) => written.endsWith('[]'));
  const repeated = known.filter(([name]) => (sent.get(name) ?? []).length > 1 && !isList(name));
  if (repeated.length > 0)
    throw invalid(...repeated.map(([parameter]) => ({ message: 'given more than once', parameter })));
  return Object.fromEntries(known);
}

function unknownNames(schema: z.ZodType, query: RawQuery): ReadonlySet<string> {
  const issues = schema.safeParse(query).error?.issues ?? [];
  return new Set(issues.flatMap((issue) => (issue.code === 'unrecognized_keys' ? issue.keys : [])));
}

/** The part of the query that selects the list; the rest selects a page of it. */
export function filtersOf(query: RawQuery): RawQuery {
  const { count: _count, page_token: _token, ...filters } = query;
  return filters;
}

/** A page token carries the filters of its list. A caller that repeats a filter has to repeat its value. */
export function readCursor(query: RawQuery, read: (token: string) => Cursor | undefined): Cursor | undefined {
  const { page_token: token } = query;
  if (token === undefined) return undefined;
  const wrongToken = (message: string): Error => invalid({ message, parameter: 'page_token' });
  const cursor = read(token);
  if (cursor === undefined) throw wrongToken('not a token of this list, or expired: begin again without it');
  const changed = Object.entries(filtersOf(query)).filter(([name, value]) => cursor.filters[name] !== value);
  if (changed.length > 0)
    throw wrongToken(
      `made for the list with another ${changed.map(([name]) => name).join(', ')}: begin again without it`,
    );
  return cursor;
}

export async function readJson(request: Pick<Request, 'headers' | 'arrayBuffer'>): Promise<unknown> {
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/json\s*(;|$)/i.test(type))
    throw invalid({ message: 'Send the header Content-Type: application/json.' });
  try {
    const body: unknown = JSON.parse(utf8.decode(await request.arrayBuffer()));
    return body;
  } catch (error) {
    if (error instanceof SyntaxError) throw invalid({ message: 'The body is not JSON.' });
    if (error instanceof TypeError) throw invalid({ message: 'The body is not UTF-8.' });
    // The limit on the size of the body is reported by the same read.
    throw error;
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Checks a value against a schema; everything that is wrong with it becomes one 400. */
export function parseInput<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value, { error: ({ input }) => (input === undefined ? 'required' : undefined) });
  if (!result.success) throw invalid(...detailsOf(result.error));
  return result.data;
}

const maxDetails = 20;

/** Each detail names its parameter and never repeats the value that was sent. */
function detailsOf(error: z.ZodError): readonly ErrorDetail[] {
  return error.issues.slice(0, maxDetails).map(({ message, path, code }) => {
    const parameter = path.map(String).join('.');
    return parameter === '' ? { message, code } : { message, parameter, code };
  });
}

/** Text in a query. No name or URI has control characters, and PostgreSQL rejects some of them. */
export const plainText = z.string().regex(/^[^\p{Cc}]*$/u, 'text without control characters');

const day = z.iso.date();

/**
 * A time, or a day in UTC, which means its first moment; as the end of a range, the first moment after it, or its last one where the end
 * is part of the range. A time without a zone, as a form of a browser sends it, is in UTC.
 */
export const boundary = (end: boolean | 'included') =>
  z.string().transform((text, context) => {
    const [, toMinute, seconds = ':00'] = /^(.{10}T\d\d:\d\d)(:\d\d(?:\.\d+)?)?$/.exec(text) ?? [];
    const time = toMinute === undefined ? text : `${toMinute}${seconds}Z`;
    const ofDay = () =>
      end === 'included' ? `${text}T23:59:59.999999Z` : instantOf(Date.parse(text) + (end ? dayMs : 0));
    const moment = day.safeParse(text).success ? ofDay() : time;
    const parsed = timestamp.safeParse(moment);
    if (parsed.success) return parsed.data;
    context.issues.push({ code: 'custom', message: 'expected a day (YYYY-MM-DD) or a timestamp', input: text });
    return z.NEVER;
  });

/** The parameters of a list that a range of time selects; `what` is listed. */
export const timeRange = (what: string) => ({
  from: boundary(false).optional().describe(`Only ${what} from this day (UTC) or time on.`),
  to: boundary(true).optional().describe(`Only ${what} up to this day (UTC), or before this time.`),
});

export const wholeNumber = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, 'a whole number')
    .transform(Number)
    .pipe(z.number().min(least).max(most));

/** Whether `Accept` names this media type and does not prefer JSON to it. A wildcard means JSON. */
export function accepts(type: string, accept: string | null): boolean {
  const ranges = new Map(parseAccept(accept ?? '').map((range) => [range.type.toLowerCase(), range.q]));
  const json = ranges.get('application/json') ?? ranges.get('application/*') ?? ranges.get('*/*') ?? 0;
  const quality = ranges.get(type) ?? 0;
  return quality > 0 && quality >= json;
}

/** Browsers are shown pages; programs are given JSON. */
export const acceptsHtml = (accept = ''): boolean => /\btext\/html\b/.test(accept);
