// What must be true when everything is worked off: the log, the rows and the alerts follow from what was sent, by models that share no code
// with the product.
import { expect } from 'vitest';
import { readDelivery } from '#schemas/delivery.ts';
import { canonicalJson } from '#schemas/wire.ts';
import type { Store } from '#src/store/contract.ts';
import { childTables } from '#workers/fold/projections/child-rows.ts';
import { mirrorTables } from '#workers/fold/projections/contract.ts';
import { outboxRows } from '../harness/alerts/outbox-rows.ts';
import type { Delivery } from '../harness/data/delivery-histories.ts';
import { forOracle } from '../harness/mirror/memory-fold.ts';
import { comparable, filledTables, listNames, rowsOf } from '../harness/stores.ts';
import { believed, expectedAlerts, standing, type Received } from '../oracle/alerts.ts';
import { expectedRows } from '../oracle/fold.ts';

export interface Outcome {
  readonly store: Store;
  /** Each was acknowledged. */
  readonly sent: readonly Delivery[];
  readonly disk: {
    /** The bodies of those in records that the disk has damaged: they may be missing. */
    readonly unsafe: ReadonlySet<string>;
    /** Damaged files that processes have seen, and that are not on the disk any more. */
    lostFiles(): number;
  };
  readonly received: readonly Received[];
  readonly rules: readonly { readonly name: string }[];
  readonly eraseOnDelete: boolean;
  readonly startMs: number;
  readonly maxAgeMs: number;
}

export async function judge(outcome: Outcome): Promise<void> {
  const { store, disk, received, rules, eraseOnDelete, startMs, maxAgeMs } = outcome;
  expect(disk.lostFiles(), 'a damaged file is set aside for the operator').toBe(0);
  const log = await store.db.selectFrom('event_log').select(['delivery_id', 'outcome', 'reason']).execute();
  const ids = log.map(({ delivery_id }) => delivery_id);
  expect(new Set(ids).size, 'no delivery is in the log twice').toBe(ids.length);
  const arrived = new Set(ids);
  const sent = outcome.sent.filter(({ body }) => !disk.unsafe.has(body) || arrived.has(readDelivery(body).deliveryId));
  const known = new Set(sent.map(({ body }) => readDelivery(body).deliveryId));
  expect(ids.toSorted(), 'the log holds every acknowledged delivery').toEqual([...known].toSorted());
  const unexplained = log.filter(({ outcome, reason }) => outcome === 'quarantined' && !reason);
  expect(unexplained, 'a quarantined delivery has a reason').toEqual([]);

  const facts = sent.map(({ fact }) => fact);
  const contents: Parameters<typeof comparable>[0] = {};
  const filled = await filledTables(store);
  for (const table of [...mirrorTables, ...childTables.map((child) => child.table)])
    if (filled.has(table)) contents[table] = await rowsOf(store, table);
  for (const list of listNames) contents[list] = await rowsOf(store, list);
  expectSame(forOracle(comparable(contents)), expectedRows(facts, eraseOnDelete));

  const rows = await outboxRows(store);
  expect(
    rows.filter(({ state }) => state === 'failed'),
    'no alert was given up',
  ).toEqual([]);
  const active = rows.filter(({ state }) => state === 'sent');
  const names = new Set(rules.map(({ name }) => name));
  const standpoint = { nowMs: startMs, maxAgeMs, eraseOnDelete, firstLoaded: new Map<string, string>() };
  const expected = expectedAlerts(facts, standpoint).filter((line) => names.has(line.split(' ', 1)[0] ?? ''));
  expect(active.map(({ rule, subject_uri, fact }) => [rule, subject_uri, fact].join(' ')).toSorted()).toEqual(expected);
  expect(believed(received), 'the last message about each alert').toEqual(active.map(({ id }) => id).toSorted());
  // A retraction is no row: only its message says which alert it takes back.
  expect(standing(received), 'the alerts that no retraction names').toEqual(active.map(({ key }) => key).toSorted());
}

/** Some alerts are not sent yet, or are being sent. */
export async function hasOpenAlerts({ db }: Store): Promise<boolean> {
  const open = await db
    .selectFrom('alerts')
    .select('id')
    .where((row) => row.or([row('state', 'in', ['pending', 'retracting']), row('claimed_at', 'is not', null)]))
    .executeTakeFirst();
  return open !== undefined;
}

/** As `toEqual`, and quick when there is nothing to show. */
function expectSame(actual: unknown, expected: unknown): void {
  if (canonicalJson(actual) !== canonicalJson(expected)) expect(actual).toEqual(expected);
}
