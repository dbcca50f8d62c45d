// Replay and rebuild on each store: quarantined entries are projected, deleted contacts are redacted, no entry blocks another.
import { sql } from 'kysely';
import { describe, expect, inject, it } from 'vitest';
import type { Store } from '#src/store/contract.ts';
import { quarantine } from '#workers/fold/pipeline/ingest.ts';
import { rebuild } from '#workers/sync/rebuild.ts';
import { replay } from '#workers/sync/replay.ts';
import { createDatabase } from '../../harness/postgres.ts';
import { openedAnew } from '../../harness/opened.ts';
import { ingestBodies, receivedAt, rowsOf, storeEngines, tableNames } from '../../harness/stores.ts';
import { openStore } from '#src/store/open-store.ts';
import { privacyScreen } from '#workers/fold/privacy/screen.ts';

const canary = 'canary@example.test';
const uriOf = (n: number | string) => `https://api.example.test/contacts/${n}`;
const deliveryBody = (n: number | string, name = `n${n}`) =>
  JSON.stringify({
    event: 'contact.updated',
    created_at: '2025-04-14T11:43:10Z',
    payload: { uri: uriOf(n), updated_at: '2025-04-14T11:43:09Z', name, emails: [{ email: canary, is_primary: true }] },
  });
const gone = (n: number) =>
  JSON.stringify({ event: 'contact.deleted', created_at: '2025-04-14T12:00:00Z', payload: { uri: uriOf(n) } });

const screen = privacyScreen({ eraseOnDelete: true });
const keep = (store: Store, body: string) =>
  quarantine({ store, screen }, { body, receivedAt }, { reason: 'A test said so.', now: receivedAt });

/** As a rule that its owner put on the table would. */
const refusePoison = ({ db, engine }: Store) =>
  engine.name === 'postgres'
    ? sql`alter table ${sql.table('contacts')} add constraint no_poison check (name <> 'poison')`.execute(db)
    : sql`create trigger no_poison before insert on contacts when new.name = 'poison'
        begin select raise(abort, 'refused'); end`.execute(db);

async function traces(store: Store): Promise<string[]> {
  const found: string[] = [];
  for (const table of tableNames) if (JSON.stringify(await rowsOf(store, table)).includes(canary)) found.push(table);
  return found;
}

for (const engine of storeEngines)
  describe.runIf(engine.available)(`the log of ${engine.name}`, () => {
    const opened = openedAnew(engine.fresh);
    const outcomes = async () => {
      const entries = await rowsOf(opened.store, 'event_log');
      return entries.toSorted((a, b) => Number(a['seq']) - Number(b['seq'])).map(({ outcome }) => outcome);
    };

    it('forgets contacts deleted while deletes did not erase, once it is replayed with erasing on', async () => {
      await ingestBodies(opened.store, [deliveryBody(1), gone(1)], false);
      expect(await traces(opened.store)).toContain('event_log');
      await replay({ store: opened.store, screen }, {});
      expect(await traces(opened.store)).toEqual([]);
      expect(await rebuild({ store: opened.store, screen })).toMatchObject({ rowsDiffered: 0 });
    });

    it('forgets deliveries that could not be read, where they name the contact', async () => {
      const unreadable = JSON.stringify({
        event: 'contact.updated',
        payload: { data: { uri: uriOf(1), email: canary } },
      });
      await ingestBodies(opened.store, [deliveryBody(1), unreadable]);
      await ingestBodies(opened.store, [gone(1)]);
      expect(await traces(opened.store)).toEqual([]);
    });

    it('lets neighbours of an entry that the store still refuses through, in a dry run too', async () => {
      await refusePoison(opened.store);
      await ingestBodies(opened.store, [deliveryBody(1, 'poison')]);
      await keep(opened.store, deliveryBody(2));
      const needs = { store: opened.store, screen };
      const expected = { read: 2, changed: 1, stillQuarantined: 1 };
      expect(await replay(needs, { unprojected: true }, { dryRun: true })).toEqual(expected);
      expect(await outcomes()).toEqual(['quarantined', 'quarantined']);
      expect(await replay(needs, { unprojected: true })).toEqual(expected);
      expect(await outcomes()).toEqual(['quarantined', 'applied']);
    });

    it('has each entry once after two replays at the same time', async () => {
      for (let n = 0; n < 20; n += 1) await keep(opened.store, deliveryBody(n));
      const others = [await opened.openAnother(), await opened.openAnother()];
      await Promise.all(others.map((store) => replay({ store, screen }, { unprojected: true })));
      expect(await outcomes()).toEqual(Array.from({ length: 20 }, () => 'applied'));
    });
  });

describe.runIf(inject('postgresUrl') !== '')('a PostgreSQL that sorts as people do', () => {
  it('sees its writers lock rows in one order all the same', async () => {
    const url = await createDatabase(
      inject('postgresUrl'),
      "template template0 locale_provider icu icu_locale 'en-US'",
    );
    const bodies = Array.from({ length: 200 }, (_, n) =>
      deliveryBody(`${n % 2 ? 'a' : 'B'}${(n * 7919) % 1_000}${n % 3 ? 'c' : 'D'}`),
    );
    const writers = [bodies, bodies.slice(30), bodies.slice(60), bodies.toReversed()].map(async (share) => {
      await using store = await openStore({ report: () => {} }, url);
      for (let size = 70; size <= share.length; size += 30) await ingestBodies(store, share.slice(0, size));
    });
    await Promise.all(writers);
    await using store = await openStore({ report: () => {} }, url);
    const { rows } = await sql<{
      deadlocks: number;
    }>`select deadlocks from pg_stat_database where datname = current_database()`.execute(store.db);
    expect(rows[0]?.deadlocks).toBe(0);
    expect(await rowsOf(store, 'contacts')).toHaveLength(200);
  });
});
