// Where people and programs ask for a number: views, operations, pages, tools, exported files and sent messages, each as plain values. What
// the product names is in `named` alone.
import { sql } from 'kysely';
import { viewNames, viewColumns } from '#src/store/views/views.ts';
import type { Store } from '#src/store/contract.ts';
import { dataOf } from '../alerts/alert-receivers.ts';
import { messagesOf, openAlertWorld } from '../alerts/alert-world.ts';
import { tell, type Fact } from '../data/boundary-facts.ts';
import type { World } from '../data/boundary-world.ts';
import { rulesOf } from '../alerts/watched-rules.ts';
import { evaluateConditions } from '#workers/out/alerts/conditions/evaluate-conditions.ts';
import { summaryJob } from '#workers/out/alerts/summary/summary-job.ts';
import type { TestStore } from '../stores.ts';
import { openDashboard } from './dashboard.ts';
import { exportFolder, rowsIn } from './export-folder.ts';
import { openMcp } from './mcp.ts';
import { viewRows } from './view-rows.ts';

/** A row of a view or a file, a record of an operation or a tool. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Answer = any;
export type Rows = readonly Answer[];

/** How the product calls today what the tests ask for. */
export const named = {
  bookings: 'bookings',
  bookingUri: 'uri',
  labels: { no_show: 'no-show', no_show_removed: 'no-show undone', reconfirmed: 'confirmed' } as Readonly<
    Record<string, string>
  >,
} as const;

export const idOf = (uri: unknown): string =>
  String(uri ?? '')
    .split('/')
    .at(-1) ?? '';

const textOf = (html: string): string =>
  html
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&nbsp;', ' ')
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ')
    .trim();

export interface Row {
  readonly cells: readonly string[];
  readonly html: string;
}

/** The rows of the table in a part of a page. */
export const tableRows = (html: string): readonly Row[] =>
  [...html.matchAll(/<tr[^>]*>(.*?)<\/tr>/gs)]
    .map(([, row = '']) => ({
      html: row,
      cells: [...row.matchAll(/<t[dh][^>]*>(.*?)<\/t[dh]>/gs)].map(([, cell = '']) => textOf(cell)),
    }))
    .filter(({ html: row }) => !row.includes('scope="col"'));

/** The chart with this name. */
export const figureIn = (html: string, id: string): string =>
  new RegExp(`<figure[^>]* id="${id}".*?</figure>`, 's').exec(html)?.[0] ?? '';

export const listedIn = (html: string): string[] => [
  ...new Set([...html.matchAll(/href="\/bookings\/([^"?]+)"/g)].map(([, id = '']) => id)),
];

/** `12 came, 3 missed, 4 unknown`, whatever the first is called. */
export function headlineIn(text: string): readonly [came: number, missed: number, unknown: number] | undefined {
  const found = /([\d,]+) \w+, ([\d,]+) missed, ([\d,]+) unknown/.exec(textOf(text));
  return found ? [Number(found[1]), Number(found[2]), Number(found[3])] : undefined;
}

/** Asked again and again by several numbers. */
function remembered<Value>(ask: (key: string) => Promise<Value>): (key: string) => Promise<Value> {
  const answers = new Map<string, Promise<Value>>();
  return (key) => {
    const known = answers.get(key) ?? ask(key);
    answers.set(key, known);
    return known;
  };
}

const farFuture = 1_000_000 * 3_600_000;
const opened2025 = '2025-01-01T00:00:00.000000Z';

export type Doors = Awaited<ReturnType<typeof openDoors>>['doors'];

/** The rows of views; undefined where there is no view of that name. */
export const viewsOf = (store: Store) =>
  remembered(async (name): Promise<Rows | undefined> =>
    viewNames().includes(name) ? await viewRows(store, name) : undefined,
  );

export async function openDoors(fresh: () => Promise<TestStore>, world: World, facts: readonly Fact[]) {
  await using stack = new AsyncDisposableStack();
  const clock = () => world.nowMs;
  const mcp = stack.use(await openMcp({ fresh }, { isRevealed: true, clock }));
  const { store } = mcp;
  const shared = async () => ({ store, [Symbol.asyncDispose]: async () => {} });
  const pages = stack.use(await openDashboard(shared, { clock }));
  const files = stack.use(await exportFolder());
  const alerts = stack.use(
    await openAlertWorld({
      fresh: async () => ({ ...(await shared()), url: '', openAnother: () => Promise.reject(new Error('not here')) }),
      at: opened2025,
      settings: { ALERT_MAX_AGE: '36500d', REPORT_TIMEZONE: 'Europe/Berlin' },
      rules: [
        { name: 'no_show', when: 'no_show' },
        { name: 'late_cancellation', when: 'late_cancel', hours: 24 },
        { name: 'suspected_no_show', when: 'suspected_no_show' },
        { name: 'unbooked', when: 'form_without_booking' },
      ],
    }),
  );
  await tell(store, world, facts);
  await alerts.pass(`${Math.ceil((world.nowMs - Date.parse(opened2025)) / 3_600_000)}h`);
  await alerts.reaches('webhook', await settled(store));
  const messages = alerts.inbox.webhook.received.map(dataOf);

  const view = viewsOf(store);
  const file = remembered(async (name): Promise<Rows | undefined> => {
    if (!viewNames().includes(name)) return undefined;
    const { file: path } = await files.write(store, { name, format: 'csv' });
    const kinds = Object.entries(viewColumns(name)).map(([column, { kind }]) => [column, kind] as const);
    return rowsIn({ file: path, format: 'csv' }, Object.fromEntries(kinds));
  });
  const get = remembered(async (path): Promise<Answer> => {
    const { status, body } = await pages.get(path);
    return status === 200 ? body : undefined;
  });
  const list = remembered(async (path): Promise<Rows | undefined> => {
    const found: Answer[] = [];
    for (let next: string | null = path; next !== null;) {
      const body: Answer = await get(next);
      if (body === undefined) return undefined;
      found.push(...body.collection);
      const token: string | null = body.pagination?.next_page_token ?? null;
      next = token && `${path.split('?')[0]}?page_token=${encodeURIComponent(token)}`;
    }
    return found;
  });
  const page = remembered(async (path): Promise<string> => (await pages.page(path)).html);
  /** The rows of `query_table`; undefined where there is no such view. */
  const tool = remembered(async (key): Promise<Rows | undefined> => {
    const input: { readonly table: string } = JSON.parse(key);
    if (!viewNames().includes(input.table)) return undefined;
    const empty = Object.fromEntries(Object.keys(viewColumns(input.table)).map((column) => [column, null]));
    const found: Answer[] = [];
    for (let cursor: string | undefined, isMore = true; isMore; isMore = cursor !== undefined) {
      const { isError, text, data } = await mcp.call('query_table', {
        ...input,
        limit: 200,
        ...(cursor && { cursor }),
      });
      if (isError) throw new Error(text);
      // What is null is left out.
      found.push(...data.answer.rows.map((row: Answer) => ({ ...empty, ...row })));
      cursor = data.next_cursor;
    }
    return found;
  });
  /** The subjects of the messages of a rule. */
  const alerted = async (rule: string): Promise<readonly string[]> =>
    messages
      .filter((message) => message.rule === rule)
      .flatMap(({ subject_uris: uris }) => uris.map(idOf))
      .toSorted();
  /** The summary of the week that begins on this Monday, line by line. */
  const summary = remembered((monday) => summaryOf(store, monday));
  const kept = stack.move();
  /** What an alert about many no-shows says of each event type or host, over all time. */
  const spikes = (by: 'event_type' | 'host') => spikesOf(store, by, world.nowMs);
  const doors = { view, file, get, list, page, tool, alerted, summary, spikes };
  return { store, doors, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

/** As many sent ones as there are alerts. */
async function settled({ db }: Store): Promise<readonly string[]> {
  const rows = await db.selectFrom('alerts').select('id').where('channel', '=', 'webhook').execute();
  return rows.map(() => 'sent');
}

async function summaryOf(store: Store, monday: string): Promise<readonly string[]> {
  const { summaries } = await rulesOf({ name: 'week', when: 'weekly_summary' });
  const [given] = summaries;
  if (given === undefined) throw new Error('there is a rule');
  const rule = { ...given, zone: 'Europe/Berlin', channels: ['ntfy'] as const };
  const needs = { store, nowMs: () => 0, onOutboxChanged: () => {} };
  const look = (nowMs: number) =>
    summaryJob({ ...needs, nowMs: () => nowMs }, { rules: [rule], maxAgeMs: farFuture }).run(
      new AbortController().signal,
      () => true,
    );
  const due = Date.parse(`${monday}T12:00:00Z`) + 7 * 24 * 3_600_000;
  await look(Date.parse(opened2025));
  await look(due);
  const [message] = await messagesOf(store, rule, { channel: 'ntfy', nowMs: due });
  return message?.text.split('\n') ?? [];
}

async function spikesOf(store: Store, by: 'event_type' | 'host', nowMs: number): Promise<ReadonlyMap<string, string>> {
  const name = `many-${by}`;
  const { conditions } = await rulesOf({
    name,
    when: 'no_show_spike',
    channels: ['log'],
    by,
    above: 0,
    of_at_least: 1,
    within: '36500d',
  });
  const never = { recentEveryMs: Infinity, fullEveryMs: Infinity, jobPeriods: {} };
  const installation = { processes: async () => [], queueEngine: 'redis', missingSettings: [], ...never };
  const needs = { store, nowMs: () => nowMs, installation };
  for (let n = 0; n < 2; n += 1) await evaluateConditions(needs, { rules: conditions, maxAgeMs: farFuture });
  const { rows } = await sql<{ subject_uri: string; detail: string }>`
    select subject_uri, detail from ${sql.table('alerts')} where rule = ${name}`.execute(store.db);
  return new Map(rows.map(({ subject_uri: uri, detail }) => [idOf(uri), detail]));
}

export const present = (rows: Rows | undefined): Rows => rows ?? [];
