// With people masked, no answer of any tool contains a name, an address, a number or a text that a person wrote; revealed, they do.
import { describe, expect, it } from 'vitest';
import { eventKinds, type EventKind } from '#schemas/events.ts';
import { hourMs, instantOf } from '#src/base/time.ts';
import type { Store } from '#src/store/contract.ts';
import { createSampler } from '#src/sandbox/sample-delivery.ts';
import { openMcp } from '../../../harness/mirror/mcp.ts';
import { availableEngines, ingestBodies } from '../../../harness/stores.ts';

const email = 'canary.bird@gelbfeder.example.test';
const phone = '+49 30 5550199';
const name = 'Canary Gelbfeder';
/** Of meetings, which hosts may name after a guest. */
const title = 'Rotkehlchen';
const trace = /canar|gelbfeder|5550199|rotkehlchen/i;

/** Words of the service, times and URIs of records stay; every other text becomes the person's. */
function planted(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) return value.map((each) => planted(each, key));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([field, each]) => [
        field,
        planted(each, key === 'scheduled_event' && field === 'name' ? 'title' : field),
      ]),
    );
  if (typeof value === 'string' && /^event_name$|^title$/.test(key)) return title;
  if (/^(answer|utm_\w+|salesforce_uuid)$/.test(key)) return name;
  if (typeof value !== 'string') return value;
  if (/_url$|link|transcript/.test(key))
    return key.length % 2 === 0
      ? 'https://elsewhere.example.test/canary'
      : `https://elsewhere.example.test/?who=${email}`;
  if (/^https?:|^\d{4}-\d\d-\d\dT|^[a-z_]+$/.test(value) || /currency|uuid$/.test(key)) return value;
  if (value.includes('@')) return email;
  return /phone|number/.test(key) ? phone : name;
}

function bodies(): readonly string[] {
  const sample = createSampler(7);
  const now = new Date();
  const kinds = Object.keys(eventKinds).filter((kind) => !kind.endsWith('deleted')) as EventKind[];
  const later = kinds.filter((kind) => kind !== 'invitee.canceled').map((kind) => [kind, 1] as const);
  const all = [...kinds.map((kind) => [kind, 0] as const), ...later, ['invitee.created', 2] as const];
  const deliveries = all.map(([kind, index]) => {
    const { payload, ...envelope } = sample(kind, { index, now });
    // The names of event types are written by hosts.
    return { ...envelope, payload: kind.startsWith('event_type') ? payload : planted(payload) };
  });
  return [
    ...deliveries.map((delivery) => JSON.stringify(delivery)),
    JSON.stringify({ event: 'invitee.created', created_at: now, payload: { uri: 7, name, email } }),
    JSON.stringify({ event: 'contact.created', created_at: now, payload: { uri: `mailto:${email}`, name } }),
    JSON.stringify({ event: 'canary.gelbfeder', created_at: now, payload: { name, email } }),
    `not JSON: ${name} ${email}`,
  ];
}

async function fill(store: Store): Promise<void> {
  await ingestBodies(store, bodies());
  await store.db.updateTable('routing_form_submissions').set({ result_type: 'event_type' }).execute();
  const [start_time, end_time] = [24, 23].map((hours) => instantOf(Date.now() - hours * hourMs));
  await store.db.updateTable('scheduled_events').set({ start_time, end_time }).execute();
}

type Call = readonly [tool: string, input: Readonly<Record<string, unknown>>];
type Mcp = Awaited<ReturnType<typeof openMcp>>;

interface Column {
  readonly name: string;
  readonly kind: string;
  readonly holds?: string;
}

/** Of every table and view that there is. */
async function describedTables(mcp: Mcp): Promise<ReadonlyMap<string, readonly Column[]>> {
  const { tables } = (await mcp.call('list_tables')).data.answer;
  const described = new Map<string, readonly Column[]>();
  for (const { name: table } of tables)
    described.set(table, (await mcp.call('describe_table', { table })).data.answer.columns);
  return described;
}

/** Two of each collection. */
function urisIn(text: string): readonly string[] {
  const all = new Set(text.match(/https?:\/\/[^"\s\\]+/g));
  return [
    ...Map.groupBy(all, (uri) => uri.replace(/\/[^/]*$/, '').replace(/[^/]+\/invitees$/, 'invitees')).values(),
  ].flatMap((of) => of.slice(0, 2));
}

/** Every table whole, and a row a page; its masked columns in what is refused, and by the whole value that someone knows. */
function questionsOf(tables: ReadonlyMap<string, readonly Column[]>): readonly Call[] {
  return [...tables].flatMap(([table, columns]) => {
    const masked = columns.filter(({ holds }) => holds !== undefined);
    const [column] = masked.map((each) => each.name);
    const known = masked.filter(({ kind, name: each }) => kind === 'text' && /mail|phone|name|reason/.test(each));
    return [
      { limit: 200 },
      { limit: 1 },
      ...(column === undefined
        ? []
        : [{ select: `${column},count()` }, { select: `min(${column})` }, { select: column, order: column }]),
      ...known.flatMap(({ name: each }) =>
        [name, email, phone].map((value) => ({ select: each, filters: { [each]: `eq.${value}` } })),
      ),
    ].map((input): Call => ['query_table', { table, ...input }]);
  });
}

const callsAbout = (uris: readonly string[]): readonly Call[] => [
  ['timeline', { email }],
  ...uris.flatMap((record): readonly Call[] => [
    ['why', { record }],
    ...(/\/(contacts|invitees)\//.test(record) ? [['timeline', { record, limit: 50 }] as const] : []),
  ]),
];

describe.each(availableEngines)('people in the answers of MCP on $name', (engine) => {
  it('are in none of them when they are masked, not even in a cursor or the record of calls', async () => {
    await using mcp = await openMcp(engine);
    await fill(mcp.store);
    const tables = await describedTables(mcp);
    const answered = new Map<string, number>();
    const uris = new Set<string>();
    let refused = 0;
    const ask = async ([tool, input]: Call) => {
      const { text, isError, data } = await mcp.call(tool, input);
      expect([tool, input, text]).toEqual([tool, input, expect.not.stringMatching(trace)]);
      if (isError) refused += 1;
      else answered.set(tool, (answered.get(tool) ?? 0) + 1);
      for (const uri of urisIn(text)) uris.add(uri);
      return { isError, cursor: (data ?? {}).next_cursor as string | undefined };
    };
    for (const call of questionsOf(tables)) {
      const { isError, cursor } = await ask(call);
      const [tool, { table, limit }] = call;
      if (limit === 200) expect([table, isError]).toEqual([table, false]);
      if (cursor === undefined) continue;
      expect(Buffer.from(cursor, 'base64url').toString('latin1')).not.toMatch(trace);
      const more = await ask([tool, { table, cursor }]);
      expect(more.isError).toBe(false);
    }
    for (const call of callsAbout(urisIn([...uris].join(' ')))) await ask(call);
    await ask(['health', {}]);
    expect([...answered.keys()].toSorted()).toEqual(['health', 'query_table', 'timeline', 'why']);
    expect([...answered.values()].every((count) => count > 0) && refused > 50).toBe(true);
    expect(JSON.stringify(await mcp.store.db.selectFrom('admin_actions').selectAll().execute())).not.toMatch(trace);
    expect(JSON.stringify(mcp.reported)).not.toMatch(trace);
  });

  it('are in every column that can hold them when they are revealed', async () => {
    await using mcp = await openMcp(engine, { isRevealed: true });
    await fill(mcp.store);
    const naming = new Set<string>();
    for (const table of (await describedTables(mcp)).keys()) {
      const { data } = await mcp.call('query_table', { table, limit: 200 });
      for (const row of data.answer.rows)
        for (const [column, value] of Object.entries(row))
          if (trace.test(JSON.stringify(value))) naming.add(`${table}.${column}`);
    }
    expect(naming.size).toBeGreaterThan(60);
    const [record] = await contactUris(mcp);
    expect((await mcp.call('timeline', { email })).text).toMatch(trace);
    expect((await mcp.call('why', { record })).text).toMatch(trace);
  });
});

const contactUris = async (mcp: Mcp): Promise<readonly string[]> =>
  (await mcp.call('query_table', { table: 'contacts', select: 'uri' })).data.answer.rows.map(
    ({ uri }: { readonly uri: string }) => uri,
  );
