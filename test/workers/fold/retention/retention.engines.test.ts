// What retention takes out of the log and what it leaves there. world-property.engines.test.ts prunes on both engines.
import { readFile } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { countUnprojected, type LogEntry } from '#src/store/log/read.ts';
import { applySettings } from '#src/store/settings-row.ts';
import type { Store } from '#src/store/contract.ts';
import { retentionJob, readRetentionState, runRetention } from '#workers/fold/retention/retention-job.ts';
import { prune, type RetentionReport } from '#workers/fold/retention/retention.ts';
import { rebuild } from '#workers/sync/rebuild.ts';
import { ingestRecords } from '#workers/sync/records.ts';
import { replay } from '#workers/sync/replay.ts';
import { privacyScreen } from '#workers/fold/privacy/screen.ts';
import { ingestObservations, mixedHistory } from '../../../harness/data/api-reads.ts';
import {
  aDayLater,
  availableEngines,
  freshMemory,
  ingestBodies,
  oneEngine,
  projectedRows,
  receivedAt,
  rowsOf,
  testWith,
} from '../../../harness/stores.ts';

const uri = 'https://api.example.test/contacts/c1';
const screen = privacyScreen({ eraseOnDelete: true });
const signal = new AbortController().signal;
const timing = { sleep: async () => {}, nowMs: () => Date.parse(receivedAt) };
/** Everything that was received is old by then. */
const before = '2025-06-01T00:00:00.000000Z';

const deliveryBody = (event: string, minute: number, payload: object): string =>
  JSON.stringify({ event, created_at: `2025-04-14T11:${minute}:00Z`, payload });
const updated = (minute: number, payload: object): string =>
  deliveryBody('contact.updated', minute, { uri, updated_at: `2025-04-14T11:${minute}:00Z`, ...payload });

const pruneAll = (store: Store): Promise<RetentionReport> => prune({ store, ...timing }, { before, signal });
const logOf = async (store: Store): Promise<LogEntry[]> =>
  ((await rowsOf(store, 'event_log')) as LogEntry[]).toSorted((a, b) => a.seq - b.seq);
const readAt = (store: Store, record: object, observed: string) =>
  ingestRecords({ store, screen }, [{ kind: 'contact', record: record as never, observed }], {
    source: 'reconcile',
    now: receivedAt,
  });

async function unharmed(store: Store): Promise<void> {
  expect(await rebuild({ store, screen })).toMatchObject({ rowsDiffered: 0 });
}

describe.each(oneEngine)('retention on $name', ({ name, fresh }) => {
  const it = testWith(fresh);

  it('takes an overwritten value out of the log, and leaves the ledger', async ({ opened, store }) => {
    await ingestBodies(store, [updated(10, { name: 'Canary Overwritten' }), updated(20, { name: 'Ada' })]);
    const ledger = (await logOf(store)).map(({ seq, delivery_id, occurred_at, outcome }) => [
      seq,
      delivery_id,
      occurred_at,
      outcome,
    ]);
    expect(await pruneAll(store)).toEqual({ examined: 2, pruned: 1, unreplayable: 0, blanked: 1 });
    const log = await logOf(store);
    expect(JSON.stringify(log)).not.toContain('Canary');
    expect(log.map(({ seq, delivery_id, occurred_at, outcome }) => [seq, delivery_id, occurred_at, outcome])).toEqual(
      ledger,
    );
    expect(log.map(({ body, redacted, changes }) => [body === null, redacted, changes])).toEqual([
      [true, true, null],
      [false, false, null],
    ]);
    await unharmed(store);
    if (name !== 'sqlite') return;
    await store.engine.scrub(aDayLater());
    const path = opened.url.slice('sqlite:'.length);
    for (const file of [path, `${path}-wal`]) expect(await readFile(file, 'latin1')).not.toContain('Canary');
  });

  it('takes out what waits in quarantine too, which is then beyond replay and no longer counted', async ({ store }) => {
    await ingestBodies(store, [updated(10, { uri: 'none' }), deliveryBody('contact.merged', 20, { uri })]);
    expect(await countUnprojected(store, 'quarantined')).toBe(1);
    expect(await pruneAll(store)).toEqual({ examined: 2, pruned: 2, unreplayable: 2, blanked: 0 });
    expect(await countUnprojected(store, 'quarantined')).toBe(0);
    expect(await countUnprojected(store, 'unhandled')).toBe(0);
    expect(await replay({ store, screen }, { unprojected: true })).toEqual({
      read: 0,
      changed: 0,
      stillQuarantined: 0,
    });
    expect(await replay({ store, screen }, {})).toEqual({ read: 2, changed: 0, stillQuarantined: 0 });
    expect((await logOf(store)).map(({ outcome }) => outcome)).toEqual(['quarantined', 'unhandled']);
  });

  it('gives a read its content back when the same content counts again', async ({ store }) => {
    const record = { uri, name: 'Ada', updated_at: '2025-04-14T11:10:00.000000Z' };
    await readAt(store, record, '2025-04-14T11:10:00.000000Z');
    await ingestBodies(store, [deliveryBody('contact.updated', 20, record)]);
    expect(await pruneAll(store)).toMatchObject({ pruned: 1 });
    // No value changes by it, but from now on the row draws from it.
    await readAt(store, record, '2025-04-14T11:30:00.000000Z');
    const body = JSON.stringify({ event: 'contact.read', payload: record });
    expect(await logOf(store)).toMatchObject([{ event: 'contact.updated' }, { redacted: false, body }]);
    await unharmed(store);
  });

  it('leaves an entry that was seen again while it was being looked at', async ({ store }) => {
    const record = { uri, name: 'Ada', updated_at: '2025-04-14T11:10:00.000000Z' };
    await readAt(store, record, '2025-04-14T11:10:00.000000Z');
    await ingestBodies(store, [deliveryBody('contact.updated', 20, record)]);
    let meanwhile: Promise<unknown> | undefined;
    const transaction: Store['transaction'] = async (work) => {
      await (meanwhile ??= readAt(store, record, '2025-04-14T11:30:00.000000Z'));
      return store.transaction(work);
    };
    expect(await pruneAll({ ...store, transaction })).toMatchObject({ examined: 2, pruned: 0 });
    await unharmed(store);
    expect(await pruneAll(store)).toMatchObject({ examined: 2, pruned: 1 });
    expect((await logOf(store)).map(({ event, body }) => [event, body === null])).toEqual([
      ['contact.read', false],
      ['contact.updated', true],
    ]);
    await unharmed(store);
  });

  it('walks a log of many pages, and can be stopped between them', async ({ store }) => {
    const bodies = Array.from({ length: 700 }, (_, n) => updated(10 + (n % 40), { name: `Name ${n}` }));
    await ingestBodies(store, bodies);
    const stopping = new AbortController();
    let pauses = 0;
    const sleep = async () => {
      pauses += 1;
      if (pauses === 4) stopping.abort(new Error('stopped'));
    };
    await expect(prune({ store, ...timing, sleep }, { before, signal: stopping.signal })).rejects.toThrow('stopped');
    const left = (await logOf(store)).filter(({ body }) => body !== null).length;
    expect([left > 1, left < 700]).toEqual([true, true]);
    expect(await pruneAll(store)).toMatchObject({ examined: left, pruned: left - 1 });
    await unharmed(store);

    // Others have their turn also where there is nothing to do.
    pauses = 10;
    await prune({ store, ...timing, sleep }, { before: receivedAt, signal });
    expect(pauses).toBeGreaterThanOrEqual(12);
  });

  it('runs once a day, within a minute after RETENTION_DAYS changed, and not while that is off (B17)', async ({
    store,
  }) => {
    let now = Date.parse('2025-04-16T12:00:00Z');
    const job = retentionJob({ store, sleep: timing.sleep, nowMs: () => now });
    const run = async () => (await job.run(signal, () => true)) !== undefined;
    const apply = (retentionDays: number) => applySettings(store, { retentionDays }, receivedAt);
    expect([job.everyMs, await run()]).toEqual([60_000, false]);
    await apply(30);
    expect([await run(), await run()]).toEqual([true, false]);
    now += 23 * 3_600_000;
    expect(await run()).toBe(false);
    await apply(1);
    expect([await run(), await run()]).toEqual([true, false]);
    now += 24 * 3_600_000;
    expect(await run()).toBe(true);
    await apply(0);
    now += 48 * 3_600_000;
    expect(await run()).toBe(false);
  });

  it('leaves a note of its last run, and of all it ever took out', async ({ store }) => {
    expect(await readRetentionState(store)).toBeUndefined();
    const nowMs = () => Date.parse('2025-04-16T12:00:00Z');
    await applySettings(store, { retentionDays: 1 }, receivedAt);
    const run = () => runRetention({ store, sleep: timing.sleep, nowMs }, signal);
    await ingestBodies(store, [updated(10, { name: 'Grace' }), updated(20, { name: 'Ada' })]);
    const cutoff = '2025-04-15T12:00:00.000000Z';
    expect(await run()).toEqual({ before: cutoff, examined: 2, pruned: 1, unreplayable: 0, blanked: 1 });
    await ingestBodies(store, [updated(30, { name: 'Joan' })]);
    const pauses = [async () => {}, () => Promise.reject(new Error('interrupted'))];
    const sleep = async (): Promise<void> => pauses.shift()?.();
    await expect(runRetention({ store, sleep, nowMs }, signal)).rejects.toThrow('interrupted');
    await ingestBodies(store, [updated(40, { name: 'Mary' })]);
    await run();
    expect(await readRetentionState(store)).toEqual({
      finished_at: '2025-04-16T12:00:00.000000Z',
      before: cutoff,
      days: 1,
      examined: 2,
      pruned: 1,
      pruned_ever: 3,
    });
  });
});

describe.each(availableEngines)('retention among others on $name', ({ fresh }) => {
  const it = testWith(fresh);

  it('runs beside those who write, read again and replay, and ends in the same rows', async ({ opened, store }) => {
    await using alone = await freshMemory();
    // In one process SQLite has one connection: a second one would only make the first one wait.
    const another = async () => (store.engine.manyWriters ? opened.openAnother() : store);
    const delivered = fc.sample(mixedHistory(10), { numRuns: 2, seed: 7 }).flat();
    let isWriting = true;
    const untilWritten = async (work: (store: Store) => Promise<unknown>) => {
      const store = await another();
      // A turn of the event loop each time, for the timers of those who found something held.
      for (; isWriting; await setImmediate()) await work(store);
    };
    let pruned = 0;
    const pruning = async (store: Store) => {
      const report = await pruneAll(store);
      pruned += report.pruned;
    };
    const beside = [
      untilWritten(pruning),
      untilWritten(pruning),
      untilWritten((store) => replay({ store, screen }, {})),
    ];
    const orders = [
      delivered,
      delivered.toReversed(),
      delivered.toSorted((a, b) => (a.fact.created_at < b.fact.created_at ? -1 : 1)),
    ];
    const writing = orders.map(async (order) => {
      const store = await another();
      for (let from = 0; from < order.length; from += 7) {
        await ingestObservations(store, order.slice(from, from + 7));
        await setImmediate();
      }
    });
    await Promise.allSettled(writing);
    isWriting = false;
    await Promise.all([...writing, ...beside]);
    await ingestObservations(alone.store, delivered);
    expect(pruned).toBeGreaterThan(0);
    expect(await projectedRows(store)).toEqual(await projectedRows(alone.store));
    await unharmed(store);
  });
});
