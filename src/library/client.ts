// `slotstream/client`: asks the tables and views of a mirror from another process, and reads its feed, entry by entry.
import { httpRetryDelayMs, requestedDelayMs } from '#src/base/retry-after.ts';
import type { ColumnValues, JsonValues, ReadableTable, Row } from './api.d.ts';
import { countQuestion, rowsQuestion } from './table-question.ts';

export interface ClientOptions {
  /** The address of the admin listener: `http://127.0.0.1:8081`. */
  readonly url: string;
  /** ADMIN_READ_TOKEN; a consumer of the feed and the table `admin_actions` need ADMIN_TOKEN. */
  readonly token: string;
  /** Is called before a failed request is repeated: the mirror does not answer, or answers 429 or 5xx. */
  readonly onRetry?: (error: unknown, delayMs: number) => void;
}

/** Items that are read as a loop reaches them: `for await (const item of list)`. Each loop begins anew. */
export interface List<Item> extends AsyncIterable<Item> {
  /** All of them, in memory. */
  all(): Promise<Item[]>;
}

export interface Client {
  /** The rows that answer a question, page by page. A request that fails seven times in a row throws. */
  rows<Name extends ReadableTable, const Select extends readonly Selectable<Name>[] | undefined = undefined>(
    table: Name,
    question?: Question<Name, Select>,
  ): List<RowOf<Name, Select>>;
  /** How many rows there are. */
  count<Name extends ReadableTable>(
    table: Name,
    question?: { readonly where?: Where<Name>; readonly signal?: AbortSignal },
  ): Promise<number>;
  /** The entries of the feed. Repeats what fails until it works. */
  feed(options?: FeedOptions): List<FeedEntry>;
}

export interface Question<
  Name extends ReadableTable,
  Select extends readonly Selectable<Name>[] | undefined = undefined,
> {
  /** All of these hold. */
  readonly where?: Where<Name>;
  /** Columns: `['uri', 'start_time']`. With `count()`, `sum(…)`, `avg(…)`, `min(…)` or `max(…)`, a row is a group with equal values in the other columns. */
  readonly select?: Select;
  /** `['start_time.desc', 'uri']`; of groups, columns of the answer: `['count.desc']`. Rows without a value come last. */
  readonly order?: readonly OrderTerm<OrderedBy<Name, NoInfer<Select>>>[];
  /** At most so many rows in all. */
  readonly limit?: number;
  /** The loop throws its reason once it aborts. */
  readonly signal?: AbortSignal;
}

/**
 * A value is `eq`, a list is `in`, null is `is.null`. `{ gte: …, lt: … }` has operators, all of which hold. `or` and `and` have more
 * conditions; `not` is the opposite. As in SQL, no condition but null holds for a column without a value, nor does its opposite.
 */
export type Where<Name extends ReadableTable> = {
  readonly [Column in keyof Row<Name, AskedValues>]?: Test<NonNullable<Row<Name, AskedValues>[Column]>>;
} & { readonly or?: readonly Where<Name>[]; readonly and?: readonly Where<Name>[]; readonly not?: Where<Name> };

/** What a column is compared with. JSON is not compared. */
interface AskedValues extends ColumnValues {
  text: string;
  time: string | Date;
  /** A day: `2026-11-01`. */
  date: string;
  json: never;
  flag: boolean;
  integer: number;
  number: number;
}
type Test<Value> = unknown extends Value
  ? unknown
  : [Value] extends [never]
    ? null | { readonly is?: null; readonly not?: null | { readonly is?: null } }
    : Value | null | readonly Value[] | Operators<Value>;
interface Operators<Value> {
  readonly eq?: Value;
  readonly neq?: Value;
  readonly gt?: Value;
  readonly gte?: Value;
  readonly lt?: Value;
  readonly lte?: Value;
  readonly in?: readonly Value[];
  readonly is?: [Value] extends [boolean] ? boolean | null : null;
  /** `*` and `%` stand for any text, `_` for one character; `literal(text)` takes that away. */
  readonly like?: [Value] extends [string] ? string : never;
  /** Ignores the case of A to Z. */
  readonly ilike?: [Value] extends [string] ? string : never;
  readonly not?: Test<Value>;
}

/** A column, or a number computed from the rows of a group. */
type Selectable<Name extends ReadableTable> =
  | ColumnOf<Name>
  | 'count()'
  | `${'sum' | 'avg'}(${ColumnOf<Name, ['number']>})`
  | `${'min' | 'max'}(${ColumnOf<Name, ['number'] | ['text'] | string>})`;
/** The columns of a kind; of a table with columns of custom fields, any. */
type ColumnOf<Name extends ReadableTable, Kind = unknown> = string extends keyof Row<Name, KindNames>
  ? string
  : {
      [Column in keyof Row<Name, KindNames>]: [NonNullable<Row<Name, KindNames>[Column]>] extends [Kind]
        ? Column
        : never;
    }[keyof Row<Name, KindNames>] &
      string;
/** Columns with listed values have these instead. */
interface KindNames extends ColumnValues {
  text: ['text'];
  time: ['text'];
  date: ['text'];
  json: ['json'];
  flag: ['flag'];
  integer: ['number'];
  number: ['number'];
}
type OrderTerm<Column extends string> = Column | `${Column}.asc` | `${Column}.desc`;
type OrderedBy<Name extends ReadableTable, Select> =
  IsGrouped<Select> extends true
    ? OutputName<Extract<Select, readonly string[]>[number]>
    : ColumnOf<Name, ['number'] | ['text'] | ['flag'] | string>;
type IsGrouped<Select> = Select extends readonly string[]
  ? Extract<Select[number], `${string}()` | `${string}(${string})`> extends never
    ? false
    : true
  : false;
/** `sum(payment_amount)` is the column `sum_payment_amount` of the answer. */
type OutputName<Item extends string> = Item extends 'count()'
  ? 'count'
  : Item extends `${infer Word}(${infer Column})`
    ? `${Word}_${Column}`
    : Item;

/** A row of the answer: the whole row, the columns of `select`, or a group. */
export type RowOf<Name extends ReadableTable, Select> = Select extends readonly string[]
  ? number extends Select['length']
    ? Partial<Selected<Name, Select[number]>>
    : Selected<Name, Select[number]>
  : Row<Name, JsonValues>;
type Selected<Name extends ReadableTable, Item extends string> = {
  [Each in Item as OutputName<Each>]: Each extends 'count()'
    ? number
    : Each extends `${'sum' | 'avg'}(${string})`
      ? number | null
      : Each extends `${'min' | 'max'}(${infer Column})`
        ? ValueIn<Name, Column> | null
        : ValueIn<Name, Each>;
};
type ValueIn<Name extends ReadableTable, Column extends string> = Column extends keyof Row<Name, JsonValues>
  ? Row<Name, JsonValues>[Column]
  : never;

export interface FeedOptions {
  /** The mirror has the offset of this name: a reader of the same name continues there. */
  readonly consumer?: string;
  /** Begins after this entry, where there is no `consumer`. Default: 0, the beginning. */
  readonly after?: number;
  /** Only these kinds: `['invitee.*', 'contact.deleted']`. */
  readonly event?: readonly string[];
  /** Only entries about this URI. */
  readonly subject?: string;
  readonly outcome?: readonly string[];
  /** `row`: with the rows that an entry is about, as they are now. `none`: without changes and payload. */
  readonly include?: 'row' | 'none';
  /** Whether to wait for new entries at the end. Default: true. */
  readonly follow?: boolean;
  /** Ends the loop without an error. */
  readonly signal?: AbortSignal;
}

export interface FeedEntry {
  /** Its position in the log. Rises; numbers may be missing. */
  readonly seq: number;
  readonly event: string | null;
  readonly source: string;
  readonly subject_uri: string | null;
  readonly occurred_at: string | null;
  readonly received_at: string;
  readonly outcome: string;
  /** Table → column → [before, after]. */
  readonly changes: Readonly<Record<string, Readonly<Record<string, readonly [unknown, unknown]>>>> | null;
  readonly payload: unknown;
  /** With `include: 'row'`: table → the row as it is now. */
  readonly row?: Readonly<Record<string, Readonly<Record<string, unknown>> | null>> | null;
  /** Acknowledges this entry and all before it. A reader that ends without it gets the entry again. */
  done(): Promise<void>;
}

/** The mirror refuses the request: 400 for a question that it does not understand, 401 and 403 for a wrong token. Repeating it would not help. */
export class RejectedRequest extends Error {
  readonly status: number;
  /** What is wrong: a parameter, and what about it. */
  readonly details: readonly { readonly message: string; readonly parameter?: string }[];

  constructor(status: number, text: string) {
    const { message, details } = errorIn(text);
    super(`the mirror answered ${status}: ${message ?? text.slice(0, 500)}`);
    this.name = 'RejectedRequest';
    this.status = status;
    this.details = details ?? [];
  }
}

export function createClient(options: ClientOptions): Client {
  return {
    rows: (table, question = {}) => {
      const read = () => readRows(options, table, question);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the mirror answers; docs/tables.md
      return listOf(read) as List<never>;
    },
    async count(table, { where, signal } = {}) {
      for await (const { count } of readPages(options, table, {
        query: countQuestion(where),
        limit: undefined,
        signal,
      }))
        return Number(count);
      throw new TypeError('the mirror answered no count');
    },
    feed: (feedOptions = {}) => listOf(() => readFeed(options, feedOptions)),
  };
}

const listOf = <Item>(read: () => AsyncGenerator<Item, void, undefined>): List<Item> => ({
  [Symbol.asyncIterator]: read,
  async all() {
    const items: Item[] = [];
    for await (const item of read()) items.push(item);
    return items;
  },
});

/** In `like` and `ilike`: this text, in which nothing stands for another text. */
export const literal = (text: string): string => text.replaceAll(/[*%_\\]/g, (each) => `\\${each}`);

type JsonRow = Readonly<Record<string, unknown>>;

function readRows(
  options: ClientOptions,
  table: string,
  { signal, ...question }: Parameters<typeof rowsQuestion>[0] & { readonly signal?: AbortSignal },
): AsyncGenerator<JsonRow, void, undefined> {
  const { query, isGrouped } = rowsQuestion(question);
  return readPages(options, table, { query, limit: isGrouped ? undefined : (question.limit ?? Infinity), signal });
}

interface TablePage {
  readonly collection: readonly JsonRow[];
  readonly pagination: { readonly next_page_token: string | null };
}

/** Rows of a page: the most that the mirror answers. */
const pageRows = 1000;
/** The last one fails about half a minute after the first. */
const mostFailures = 7;

/** `limit`: of all pages; undefined where there is only one. */
async function* readPages(
  options: ClientOptions,
  table: string,
  asked: { query: URLSearchParams; limit: number | undefined; signal: AbortSignal | undefined },
): AsyncGenerator<JsonRow, void, undefined> {
  const { limit, signal } = asked;
  let { query } = asked;
  for (let left = limit ?? Infinity; left > 0;) {
    if (limit !== undefined) query.set('limit', String(Math.min(left, pageRows)));
    const path = `api/tables/${encodeURIComponent(table)}?${query}`;
    const answer = await request(options, path, { signal, mostFailures });
    signal?.throwIfAborted();
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the mirror answers; docs/tables.md
    const { collection, pagination } = answer as TablePage;
    for (const row of collection) {
      signal?.throwIfAborted();
      yield row;
    }
    if (pagination.next_page_token === null) return;
    left -= collection.length;
    query = new URLSearchParams({ page_token: pagination.next_page_token });
  }
}

interface FeedPage {
  readonly collection: readonly Omit<FeedEntry, 'done'>[];
  readonly pagination: { readonly next_after: number };
}

const waitSeconds = 30;
/** An answer that takes longer than the wait is lost. */
const timeoutMs = (waitSeconds + 30) * 1000;

async function* readFeed(options: ClientOptions, feed: FeedOptions): AsyncGenerator<FeedEntry, void, undefined> {
  const { consumer, event, outcome, subject, include, follow = true, signal } = feed;
  let position = feed.after ?? (consumer === undefined ? 0 : undefined);
  if (consumer !== undefined && feed.after !== undefined)
    throw new TypeError('a consumer has an offset of its own: leave out `after` or `consumer`');
  let acknowledged = -1;
  let yielded = -1;
  const acknowledge = async (seq: number): Promise<void> => {
    if (consumer === undefined || seq <= acknowledged) return;
    const body = JSON.stringify({ acknowledged: seq });
    await request(options, `api/feed/consumers/${encodeURIComponent(consumer)}`, { signal, method: 'POST', body });
    acknowledged = Math.max(acknowledged, seq);
  };
  for (;;) {
    const query = new URLSearchParams({
      ...(position === undefined ? { consumer: consumer ?? '' } : { after: String(position) }),
      ...(event && { event: event.join() }),
      ...(outcome && { outcome: outcome.join() }),
      ...(subject !== undefined && { subject }),
      ...(include && { include }),
      wait: String(follow ? waitSeconds : 0),
    });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the feed answers; docs/feed.md
    const page = (await request(options, `api/feed?${query}`, { signal })) as FeedPage | undefined;
    if (page === undefined) return;
    for (const entry of page.collection) {
      if (signal?.aborted) return;
      yielded = entry.seq;
      yield { ...entry, done: () => acknowledge(entry.seq) };
    }
    const next = page.pagination.next_after;
    // A filter on a rare kind would never move otherwise. Not while an entry is unfinished: it would be acknowledged too.
    if (position !== undefined && next > position && yielded <= acknowledged) await acknowledge(next);
    position = next;
    if (page.collection.length === 0 && !follow) return;
  }
}

interface Request {
  readonly signal: AbortSignal | undefined;
  readonly method?: string;
  readonly body?: string;
  readonly mostFailures?: number;
}

/** The answer as JSON; undefined once the signal aborts. What fails is repeated. */
async function request(
  { url, token, onRetry }: ClientOptions,
  path: string,
  { signal, mostFailures: most = Infinity, ...init }: Request,
): Promise<unknown> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  for (let failures = 1; !signal?.aborted; failures += 1) {
    let failure: unknown;
    let requestedMs: number | undefined;
    try {
      const limit = AbortSignal.timeout(timeoutMs);
      const ended = signal ? AbortSignal.any([signal, limit]) : limit;
      const response = await fetch(new URL(path, url.endsWith('/') ? url : `${url}/`), {
        ...init,
        headers,
        signal: ended,
      });
      const text = await response.text();
      if (response.ok) return JSON.parse(text);
      failure = new RejectedRequest(response.status, text);
      if (response.status !== 429 && response.status < 500) throw failure;
      requestedMs = requestedDelayMs(response, Date.now());
    } catch (error) {
      if (error === failure) throw error;
      failure = error;
    }
    if (signal?.aborted) return undefined;
    if (failures >= most) throw failure;
    const delayMs = httpRetryDelayMs({ failures, requestedMs, random: Math.random() });
    onRetry?.(failure, delayMs);
    await sleep(delayMs, signal);
  }
  return undefined;
}

/** What an error says in the form of the API; a proxy may have answered in another one. */
function errorIn(text: string): { readonly message?: string; readonly details?: RejectedRequest['details'] } {
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the form of every error of the API
    const { message, details } = JSON.parse(text) as Partial<Record<'message' | 'details', unknown>>;
    return {
      ...(typeof message === 'string' && { message }),
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same
      ...(Array.isArray(details) && { details: details as RejectedRequest['details'] }),
    };
  } catch {
    return {};
  }
}

/** Ends early when the signal aborts. */
function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
  });
}
