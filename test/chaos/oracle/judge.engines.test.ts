// The oracle finds nothing in a sound database, and every planted fault. Only this test uses the product: to fill the database.
import { describe, expect, it } from 'vitest';
import { sql } from 'kysely';
import { erase } from '#workers/privacy/erase.ts';
import { privacyScreen } from '#workers/privacy/screen.ts';
import { targetOf } from '#workers/privacy/target.ts';
import { ingest } from '../../harness/ingest.ts';
import { freshSqlite, receivedAt, storeEngines, type TestStore } from '../../harness/stores.ts';
import { history } from '../load/history.ts';
import { canaries } from '../load/world.ts';
import { readBody, recordOf } from './facts.ts';
import { countLogged, isDrained, judge, type Evidence } from './judge.ts';
import { ask, promisedTable } from './read.ts';

const seed = 18;
const bodies = history({ seed, count: 300, poison: 0.05, startMs: Date.UTC(2025, 0, 1) });
const clean = {
  deliveries: bodies.length,
  acknowledged: bodies.length,
  lost: 0,
  unsent: 0,
  duplicated: 0,
  wrong: 0,
  invented: 0,
  quarantinedWrongly: 0,
  leaked: [],
  findings: [],
};

describe.for(storeEngines.filter(({ available }) => available))('the oracle on $name', ({ fresh }) => {
  it('finds nothing in a sound database, and everything that is planted', async () => {
    await using test = await fresh();
    await fill(test, bodies);
    expect(await judge(evidenceOf(test.url))).toEqual(clean);
    expect(await isDrained(test.url, new Set(bodies))).toBe(true);

    const expected = await plant(test);
    const leaking = { worker: `Delivered to ${canaries(seed).name}`, receiver: 'Started.' };
    const unsent = { body: '{"never":"sent"}', answers: [{ status: 503, atMs: 0, tookMs: 1 }] };
    const evidence = evidenceOf(test.url);
    const verdict = await judge({ ...evidence, offered: [...evidence.offered, unsent], outputs: leaking });
    expect(verdict).toMatchObject({ deliveries: bodies.length + 1, acknowledged: bodies.length, unsent: 1 });
    expect(verdict).toMatchObject({ lost: 1, duplicated: 1, invented: 1, quarantinedWrongly: 2 });
    expect(verdict.leaked).toEqual(['name in the output of worker']);
    expect(verdict.findings.join('\n')).toMatch(/^lost: /m);
    expect(expected.filter((line) => !verdict.findings.some((each) => each.startsWith(line)))).toEqual([]);
    expect(verdict.findings).toHaveLength(expected.length + 2);
    expect(await isDrained(test.url, new Set(bodies))).toBe(false);
  });
});

// What is read on each engine is proven above.
it('the oracle knows what an erasure removes, whether a delivery came before it or after', async () => {
  await using test = await freshSqlite();
  const facts = bodies.flatMap((body) => readBody(body).fact ?? []);
  const of = (kind: string) => facts.filter(({ event }) => event === kind).map(({ payload }) => recordOf(payload));
  const deleted = new Set(of('contact.deleted').map(({ uri }) => uri));
  const living = JSON.stringify(of('contact.created').filter(({ uri }) => !deleted.has(uri)));
  const booked = of('invitee.created').map(({ email }) => String(email));
  const people = [...new Set(booked)].filter((email) => living.includes(`"${email}"`)).slice(0, 2);
  await fill(test, bodies.slice(0, 150));
  for (const person of people)
    await erase({ store: test.store, newKey: () => 'k'.repeat(64) }, targetOf(person), { now: receivedAt });
  await fill(test, bodies.slice(150));
  expect(await judge({ ...evidenceOf(test.url), erased: people })).toEqual(clean);
  expect((await judge(evidenceOf(test.url))).wrong).toBeGreaterThan(0);
});
/** As the receiver and the queue hand them over. */
async function fill({ store }: TestStore, some: readonly string[]): Promise<void> {
  const needs = { store, screen: privacyScreen({ eraseOnDelete: true }) };
  const deliveries = some.map((body) => {
    const isText = !body.includes('\0');
    return isText
      ? { body, receivedAt }
      : { body: Buffer.from(body).toString('base64'), encoding: 'base64', receivedAt };
  });
  for (let from = 0; from < deliveries.length; from += 100)
    await ingest(needs, { v: 1, deliveries: deliveries.slice(from, from + 100) }, receivedAt);
}

/** Damages the database; returns how each line about it begins. */
async function plant({ store, url }: TestStore): Promise<string[]> {
  const run = (text: string) => sql.raw(text).execute(store.db);
  const lines: string[] = [];
  const first = async (table: string, column: string, where = 'true'): Promise<string> => {
    const [row] = await ask(url, `select ${column} as value from ${table} where ${where} order by ${column} limit 1`);
    return String(row?.['value']);
  };
  const wrongColumns: Record<string, string> = {
    scheduled_events: 'name',
    event_types: 'slug',
    meeting_recaps: 'summary_md',
  };
  for (const [table, column] of Object.entries(wrongColumns)) {
    const uri = await first(table, 'uri');
    await run(`update ${table} set ${column} = 'planted' where uri = '${uri}'`);
    lines.push(`${table} ${uri}: ${column}: expected `);
  }
  for (const [parent, list, { view, key, column }] of [
    [
      'contacts',
      'custom_fields',
      { view: 'contact_custom_fields', key: ['contact_uri', 'field_uri'], column: 'label' },
    ],
    ['invitees', 'questions_and_answers', { view: 'invitee_answers', key: ['invitee_uri', 'item'], column: 'answer' }],
    [
      'routing_form_submissions',
      'questions_and_answers',
      { view: 'routing_form_answers', key: ['submission_uri', 'item'], column: 'question' },
    ],
  ] as const) {
    // The last row with a list: other faults are planted in other rows.
    const [row = {}] = await ask(url, `select * from ${view} order by ${key[0]} desc, ${key[1]} limit 1`);
    const uri = String(row[key[0]]);
    const [{ items = null } = {}] = await ask(url, `select ${list} as items from ${parent} where uri = '${uri}'`);
    const sent = (typeof items === 'string' ? JSON.parse(items) : items) as Record<string, unknown>[];
    const isThis = (each: Record<string, unknown>, at: number) =>
      each['uri'] === row['field_uri'] && at === (row['item'] ?? at);
    const planted = sent.map((each, at) => (isThis(each, at) ? { ...each, [column]: 'planted' } : each));
    await sql`update ${sql.table(parent)} set ${sql.id(list)} = ${JSON.stringify(planted)} where uri = ${uri}`.execute(
      store.db,
    );
    lines.push(`${parent} ${uri}: ${list}: expected `);
    lines.push(`${view} ${key.map((name) => String(row[name])).join(' ')}: ${column}: expected `);
  }
  const anHourLater = async (table: string, column: string, where: string): Promise<string> => {
    const [row = {}] = await ask(url, `select ${column} as value from ${table} where ${where}`);
    const moved = new Date(Date.parse(String(row['value'])) + 3_600_000).toISOString();
    await run(`update ${table} set ${column} = '${moved.slice(0, 23)}000Z' where ${where}`);
    return `${column}: expected `;
  };
  const late = await first('invitees', 'uri', 'canceled_at is not null and uri < (select max(uri) from invitees)');
  lines.push(`invitees ${late}: ${await anHourLater('invitees', 'canceled_at', `uri = '${late}'`)}`);
  const mark = await first('no_shows', 'no_show_uri', 'unmarked_at is not null');
  const at = await anHourLater('no_shows', 'unmarked_at', `no_show_uri = '${mark}'`);
  lines.push(`no_shows ${await first('no_shows', 'invitee_uri', `no_show_uri = '${mark}'`)} `);
  expect(at).toContain('unmarked_at');

  const email = await first('contact_emails', 'email');
  lines.push(
    `contact_emails ${await first('contact_emails', 'contact_uri', `email = '${email}'`)} ${email}: the row is`,
  );
  await run(`delete from contact_emails where email = '${email}'`);
  const deleted = await first('contacts', 'uri', 'deleted_at is not null');
  await run(`update contacts set deleted_at = null, deleted_source = null where uri = '${deleted}'`);
  lines.push(`contacts ${deleted}: deleted_at: expected `);
  await run("insert into users (uri, name) values ('https://planted.example', 'Planted')");
  lines.push('users https://planted.example: no such row is expected');

  const applied = "outcome = 'applied' and redacted = false";
  await run(`delete from event_log where seq = ${await first('event_log', 'seq', applied)}`);
  const copied = [...promisedTable('event_log').columns.keys()].filter(
    (name) => name !== 'seq' && name !== 'delivery_id',
  );
  const seq = Number(await first('event_log', 'seq', applied));
  const copy = async (to: number, id: string) => {
    const columns = copied.join();
    await run(
      `insert into event_log (seq, delivery_id, ${columns}) select ${to}, '${id}', ${columns} from event_log where seq = ${seq}`,
    );
    lines.push(`log entry ${to} `);
  };
  await copy(100_001, 'a copy');
  await copy(100_002, 'never sent');
  await run("update event_log set body = '{}' where seq = 100002");
  const change = async (to: string, where: string): Promise<void> => {
    const changed = await first('event_log', 'seq', where);
    await run(`update event_log set ${to} where seq = ${changed}`);
    lines.push(`log entry ${changed} `);
  };
  await change("outcome = 'quarantined', reason = 'planted'", `${applied} and seq > ${seq}`);
  await change("reason = ''", "outcome = 'quarantined' and event is null");
  expect(await countLogged(url)).toBe(bodies.length + 1);
  return lines;
}

function evidenceOf(store: string): Evidence {
  const answers = [{ status: 202, atMs: 0, tookMs: 1 }];
  return { store, offered: bodies.map((body) => ({ body, answers })), outputs: {}, canaries: canaries(seed) };
}
