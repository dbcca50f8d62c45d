// What the PostgreSQL engine asks of its server: in which order a fold sends its statements, and which plans the server keeps.
import pg from 'pg';
import { afterEach, describe, expect, inject, vi } from 'vitest';
import { inOrder } from '#src/store/in-order.ts';
import { readRows, writeRows } from '#src/store/rows.ts';
import { readMark } from '#workers/fold/privacy/erasure-index.ts';
import { freshPostgres, ingestBodies, testWith } from '../../../harness/stores.ts';

const it = testWith(freshPostgres);

const base = 'https://api.example.test';
const booking = (n: number, timezone: string) =>
  JSON.stringify({
    event: 'invitee.created',
    created_at: '2025-04-14T11:00:00Z',
    payload: {
      uri: `${base}/scheduled_events/${n}/invitees/${n}`,
      event: `${base}/scheduled_events/${n}`,
      email: `person${n}@example.test`,
      timezone,
      scheduled_event: { uri: `${base}/scheduled_events/${n}`, name: 'Intake' },
      questions_and_answers: [{ question: 'Why?', answer: 'Because', position: 0 }],
    },
  });

/** Every statement that any connection sends from now on, in order. */
function sentStatements(): readonly string[] {
  const sent: string[] = [];
  const { query } = pg.Client.prototype;
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...args: unknown[]) {
    const [first] = args;
    const { text = String(first) } = Object(first) as { text?: string };
    sent.push(text.replaceAll('"', '').replaceAll('slotstream.', ''));
    return Reflect.apply(query, this, args) as never;
  } as typeof query);
  return sent;
}

afterEach(() => void vi.restoreAllMocks());

describe.runIf(inject('postgresUrl'))('a fold on PostgreSQL', () => {
  it('writes every row before it locks the log, and checks the erasures before it writes the log', async ({
    opened,
  }) => {
    const sent = sentStatements();
    await ingestBodies(opened.store, [booking(0, 'Asia/Tokyo')]);
    const before = sent.length;
    // More rows than one statement takes, and a zone that the store does not have.
    const bodies = Array.from({ length: 300 }, (_, n) => booking(n, n % 2 === 0 ? 'Asia/Tokyo' : 'Europe/Paris'));
    await ingestBodies(opened.store, bodies);
    const kinds = kindsOf(sent.slice(before));
    const steps = 'begin, read rows, read log, write rows, lock log, check erasures, write log, commit';
    expect(withoutRepeats(kinds).join(', ')).toBe(steps);
    expect(kinds.filter((kind) => kind === 'write rows')).toHaveLength(4);
  });

  it('goes on to prepare statements after one that was refused', async ({ store }) => {
    // In three parts: of the same name, and the first of them is refused too.
    const emails = Array.from({ length: 600 }, (_, n) => ({ contact_uri: 'c', email: `e${n}`, is_primary: false }));
    const refused = store.transaction((unit) =>
      inOrder(unit, [
        () => unit.engine.run(unit.db, { sql: 'select 1 / 0', parameters: [] }),
        () => writeRows(unit, 'contact_emails', emails),
      ]),
    );
    await expect(refused).rejects.toMatchObject({ code: '22012' });
    const prepared = await store.transaction(async (unit) => {
      await writeRows(unit, 'contact_emails', emails);
      const known = `select 1 from pg_prepared_statements where statement like 'insert into "slotstream"."contact_emails"%'`;
      return (await unit.engine.run(unit.db, { sql: known, parameters: [] })).rows;
    });
    expect(prepared).toHaveLength(1);
  });

  it('lets the server keep the plan of a statement by key, which never reads the whole table, until the transaction ends', async ({
    store,
  }) => {
    await ingestBodies(store, [booking(1, 'Asia/Tokyo')]);
    await store.transaction(async (unit) => {
      const ask = async <Row>(text: string) =>
        (await unit.engine.run<Row>(unit.db, { sql: text, parameters: [] })).rows;
      await unit.engine.keepPlans(unit.db);
      for (let time = 0; time < 8; time += 1) {
        await readRows(
          unit,
          'invitees',
          Array.from({ length: 20 }, (_, n) => `${base}/scheduled_events/${n}/invitees/${n}`),
        );
        await readMark(unit);
      }
      const kept = await ask<{ statement: string; generic_plans: number }>(
        'select statement, generic_plans from pg_prepared_statements where generic_plans > 0',
      );
      expect(kept.map(({ statement }) => /from "slotstream"."(\w+)"/.exec(statement)?.[1])).toEqual(['invitees']);
      // Its best plan depends on how rare erasures are: one for any event would read the log from its end.
      expect(await ask(`select 1 from pg_prepared_statements where statement like '%order by "seq" desc%'`)).toEqual(
        [],
      );
      expect(await ask('show enable_seqscan')).toEqual([{ enable_seqscan: 'off' }]);
    });
    const { rows } = await store.engine.run(store.db, {
      sql: `select current_setting('enable_seqscan') as scans, current_setting('plan_cache_mode') as plans`,
      parameters: [],
    });
    expect(rows).toEqual([{ scans: 'on', plans: 'force_custom_plan' }]);
  });
});

const kindsOf = (texts: readonly string[]): readonly string[] => texts.map(kindOf).filter((kind) => kind !== 'other');
const withoutRepeats = (kinds: readonly string[]) => kinds.filter((kind, at) => kind !== kinds[at - 1]);

function kindOf(text: string): string {
  if (['begin', 'commit', 'rollback'].includes(text)) return text;
  if (text.includes('pg_advisory_xact_lock')) return 'lock log';
  if (text.includes('from event_log where event = ')) return 'check erasures';
  if (text.startsWith('insert into event_log')) return 'write log';
  if (text.includes('from event_log')) return 'read log';
  if (/^(insert into|delete from) (invitees|scheduled_events)/.test(text)) return 'write rows';
  if (/for update(?: skip locked)?$/.test(text)) return 'read rows';
  return 'other';
}
