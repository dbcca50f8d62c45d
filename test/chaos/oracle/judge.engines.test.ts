// The oracle finds nothing in a sound database, and every planted fault. Only this test uses the product: to fill the database.
import { describe, expect, it } from 'vitest';
import { erase } from '#workers/fold/privacy/erase.ts';
import { privacyScreen } from '#workers/fold/privacy/screen.ts';
import { targetOf } from '#workers/fold/privacy/target.ts';
import { asReader, ingest, freshSqlite, receivedAt, storeEngines, type TestStore } from '../../harness/stores.ts';
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
  const run = (text: string) => asReader(store, text);
  const lines: string[] = [];
  const first = async (table: string, column: string, where = 'true'): Promise<string> => {
    const [row] = await ask(url, `select ${column} as value from ${table} where ${where} order by ${column} limit 1`);
    return String(row?.['value']);
  };
  const change = async (table: string, column: string, value: string, where = 'true'): Promise<void> => {
    const uri = await first(table, 'uri', where);
    await run(`update ${table} set ${column} = ${value} where uri = '${uri}'`);
    lines.push(`${table} ${uri}: ${column}: expected `);
  };
  await change('scheduled_events', 'name', "'planted'");
  await change('event_types', 'slug', "'planted'");
  await change('meeting_recaps', 'summary_md', "'planted'");
  await change('contacts', 'deleted_at', 'null, deleted_source = null', 'deleted_at is not null');
  // An hour later, by an offset that was not understood.
  const later = async (column: string, table: string, where: string): Promise<string> => {
    const ms = Date.parse(
      String((await ask(url, `select ${column} as value from ${table} where ${where}`))[0]?.['value']),
    );
    return `'${new Date(ms + 3_600_000).toISOString().slice(0, 23)}000Z'`;
  };
  const canceled = `uri = '${await first('invitees', 'uri', 'canceled_at is not null and uri < (select max(uri) from invitees)')}'`;
  await change('invitees', 'canceled_at', await later('canceled_at', 'invitees', canceled), canceled);
  const unmarked = `invitee_uri = '${await first('no_shows', 'invitee_uri', 'unmarked_at is not null')}'`;
  await run(`update no_shows set unmarked_at = ${await later('unmarked_at', 'no_shows', unmarked)} where ${unmarked}`);
  lines.push(`no_shows ${await first('no_shows', 'invitee_uri', unmarked)} `);

  for (const [view, uriColumn, itemColumn, column, parent, list] of [
    ['contact_custom_fields', 'contact_uri', 'field_uri', 'label', 'contacts', 'custom_fields'],
    ['invitee_answers', 'invitee_uri', 'item', 'answer', 'invitees', 'questions_and_answers'],
    ['routing_form_answers', 'submission_uri', 'item', 'question', 'routing_form_submissions', 'questions_and_answers'],
  ] as const) {
    // The last row with a list: other faults are planted in other rows.
    const [row = {}] = await ask(url, `select * from ${view} order by ${uriColumn} desc, ${itemColumn} limit 1`);
    const where = `uri = '${String(row[uriColumn])}'`;
    const items = await first(parent, `cast(${list} as text)`, where);
    await change(parent, list, `'${items.replace(JSON.stringify(row[column]), '"planted"')}'`, where);
    lines.push(`${view} ${String(row[uriColumn])} ${String(row[itemColumn])}: ${column}: expected `);
  }

  const email = await first('contact_emails', 'email');
  const contact = await first('contact_emails', 'contact_uri', `email = '${email}'`);
  await run(`delete from contact_emails where email = '${email}'`);
  lines.push(`contact_emails ${contact} ${email}: the row is`);
  await run("insert into users (uri, name) values ('https://planted.example', 'Planted')");
  lines.push('users https://planted.example: no such row is expected');

  const applied = "outcome = 'applied' and redacted = false";
  await run(`delete from event_log where seq = ${await first('event_log', 'seq', applied)}`);
  const seq = Number(await first('event_log', 'seq', applied));
  const changeEntry = async (to: string, where: string): Promise<void> => {
    const changed = await first('event_log', 'seq', where);
    await run(`update event_log set ${to} where seq = ${changed}`);
    lines.push(`log entry ${changed} `);
  };
  const columns = [...promisedTable('event_log').columns.keys()].filter((name) => !/^(seq|delivery_id)$/.test(name));
  for (const [to, id] of [
    [100_001, 'a copy'],
    [100_002, 'never sent'],
  ] as const)
    await run(
      `insert into event_log (seq, delivery_id, ${columns.join()}) select ${to}, '${id}', ${columns.join()} from event_log where seq = ${seq}`,
    );
  lines.push('log entry 100001 ');
  await changeEntry("body = '{}'", 'seq = 100002');
  await changeEntry("outcome = 'quarantined', reason = 'planted'", `${applied} and seq between ${seq + 1} and 100000`);
  await changeEntry("reason = ''", "outcome = 'quarantined' and event is null");
  expect(await countLogged(url)).toBe(bodies.length + 1);
  return lines;
}

function evidenceOf(store: string): Evidence {
  const answers = [{ status: 202, atMs: 0, tookMs: 1 }];
  return { store, offered: bodies.map((body) => ({ body, answers })), outputs: {}, canaries: canaries(seed) };
}
