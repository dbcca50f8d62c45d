// What cannot be understood or stored is kept, with its reason, and never in the way of its neighbours.
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ingest } from '../../harness/ingest.ts';
import { privacyScreen } from '#workers/privacy/screen.ts';
import {
  emptyTables,
  ingestBodies,
  projectedRows,
  receivedAt,
  rowsOf,
  storeEngines,
  type TestStore,
} from '../../harness/stores.ts';

const uri = 'https://api.example.test/contacts/1';
const contact = (payload: object, event = 'contact.updated') =>
  JSON.stringify({ event, created_at: '2025-04-14T11:43:10Z', payload: { uri, ...payload } });
const neighbour = (n: number) => contact({ uri: `https://api.example.test/contacts/neighbour-${n}`, name: `n${n}` });

describe.each(storeEngines)('quarantine on $name', ({ available, fresh }) => {
  let opened: TestStore;
  beforeAll(async () => {
    if (available) opened = await fresh();
  });
  beforeEach(async () => {
    if (available) await emptyTables(opened.store);
  });
  afterAll(() => opened?.[Symbol.asyncDispose]());

  const entries = async () =>
    (await rowsOf(opened.store, 'event_log')).toSorted((a, b) => Number(a['seq']) - Number(b['seq']));
  const outcomes = async () => (await entries()).map(({ outcome }) => outcome);
  const ingestRaw = (deliveries: unknown) =>
    ingest({ store: opened.store, screen: privacyScreen({ eraseOnDelete: true }) }, { v: 1, deliveries }, receivedAt);

  it.runIf(available)('what was not a delivery at all is kept in quarantine, and its neighbours go on', async () => {
    const forged = [
      JSON.parse(`${'['.repeat(20_000)}${']'.repeat(20_000)}`) as unknown,
      null,
      5,
      'text',
      [],
      {},
      { body: 7 },
      { body: 'x' },
      { body: neighbour(3), receivedAt: 'yesterday' },
      { body: '\0', receivedAt },
      { body: '\ud800', receivedAt },
      { body: 'x', encoding: 'rot13', receivedAt },
    ];
    await ingestRaw([{ body: neighbour(1), receivedAt }, ...forged, { body: neighbour(2), receivedAt }]);
    expect(await outcomes()).toEqual(['applied', ...forged.map(() => 'quarantined'), 'applied']);
    for (const batch of [undefined, null, 'x', { v: 2, deliveries: [] }, { v: 1 }, []]) {
      const { entries: kept, duplicates } = await ingest(
        { store: opened.store, screen: privacyScreen({ eraseOnDelete: true }) },
        batch,
        receivedAt,
      );
      expect(kept.every(({ outcome }) => outcome === 'quarantined')).toBe(true);
      expect(kept.length + duplicates).toBe(1);
    }
    expect(await rowsOf(opened.store, 'contacts')).toHaveLength(2);
  });

  it.runIf(available)('a body that is not text is kept whole in quarantine', async () => {
    const body = Buffer.from([0x7b, 0xff, 0x00, 0x7d]).toString('base64');
    await ingestRaw([
      { body, encoding: 'base64', receivedAt },
      { body, encoding: 'base64', receivedAt },
    ]);
    expect(await entries()).toMatchObject([
      { outcome: 'quarantined', body, encoding: 'base64', duplicates: 1, event: null },
    ]);
  });

  it.runIf(available)('an unknown kind is stored as unhandled, a body that is not JSON is quarantined', async () => {
    await ingestBodies(opened.store, [
      contact({}, 'contact.merged'),
      contact({}, 'constructor'),
      'no JSON',
      '',
      '[]',
      '"x"',
      'null',
    ]);
    expect(await outcomes()).toEqual(['unhandled', 'unhandled', ...Array.from({ length: 5 }, () => 'quarantined')]);
    expect(await projectedRows(opened.store)).toEqual({});
  });

  it.runIf(available)('the one delivery that the store refuses is quarantined, and no neighbour of it', async () => {
    await refuse('poison');
    const batch = Array.from({ length: 40 }, (_, n) => neighbour(n)).toSpliced(17, 0, contact({ name: 'poison' }));
    await ingestBodies(opened.store, batch);
    const [culprit, ...others] = (await entries()).filter(({ outcome }) => outcome !== 'applied');
    expect(others).toEqual([]);
    expect(culprit).toMatchObject({ outcome: 'quarantined', subject_uri: uri, body: contact({ name: 'poison' }) });
    expect(culprit?.['reason']).toMatch(/^The store refused it \(\w+\)\.$/);
    expect((await rowsOf(opened.store, 'contacts')).map((row) => row['name']).toSorted()).toEqual(
      Array.from({ length: 40 }, (_, n) => `n${n}`).toSorted(),
    );
  });

  /** As a rule that a user put on their own table would. */
  async function refuse(name: string): Promise<void> {
    const { db, engine } = opened.store;
    if (engine.name === 'postgres')
      await sql`alter table contacts add constraint no_poison check (name <> ${sql.lit(name)})`.execute(db);
    else
      await sql`create trigger no_poison before insert on contacts when new.name = ${sql.lit(name)} begin select raise(abort, 'refused'); end`.execute(
        db,
      );
  }
});
