// Deliveries are counted by the period in which they were received.
import { RawNode } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { EventKind } from '#schemas/events.ts';
import { hourMs, instantOf } from '#src/base/time.ts';
import { createSampler } from '#src/sandbox/sample-delivery.ts';
import type { Store } from '#src/store/contract.ts';
import { countDeliveriesOf } from '#src/read/deliveries/delivery-counts.ts';
import { privacyScreen } from '#workers/fold/privacy/screen.ts';
import { contactDelivery } from '../../../harness/data/contact-deliveries.ts';
import { ingest, freshMemory, availableEngines } from '../../../harness/stores.ts';

const startMs = Date.parse('2025-04-14T00:00:00Z');
const screen = privacyScreen({ eraseOnDelete: true });

/** One delivery per time, in this order. */
async function receive(store: Store, timesMs: readonly number[], bodyOf = bodyAt): Promise<void> {
  const deliveries = timesMs.map((ms, at) => ({ body: bodyOf(at, ms), receivedAt: instantOf(ms) }));
  await ingest({ store, screen }, { v: 1, deliveries }, instantOf(startMs));
}

const bodyAt = (at: number, ms: number): string => contactDelivery({ id: `c${at}-${ms}`, version: 0 });
const sample = createSampler(1);
const sampleOf = (kind: EventKind) => (index: number, ms: number) =>
  JSON.stringify(sample(kind, { index, now: new Date(ms) }));
const kindAt = (kind: string) => (at: number, ms: number) =>
  JSON.stringify({ event: kind, payload: { uri: `${at}-${ms}` } });

for (const { name, fresh } of availableEngines)
  describe(`the counts of deliveries on ${name}`, () => {
    it('are those of the period, however late they were stored, and grow with the log', async () => {
      await using opened = await fresh();
      const { store } = opened;
      const firstHour = { fromMs: startMs, toMs: startMs + hourMs };
      const untilNow = { fromMs: startMs };
      const counted = await countDeliveriesOf(store, untilNow);
      expect(counted).toEqual({ deliveries: 0, bookings: 0, cancellations: 0, no_shows: 0 });
      await receive(store, [startMs - 1, startMs, startMs + 1]);
      await receive(store, [startMs + 2], () => 'no JSON');
      await receive(store, [startMs + 3], kindAt('contact.merged'));
      await receive(store, [startMs + 4], sampleOf('invitee.created'));
      // In quarantine: it is a delivery, and no booking.
      await receive(store, [startMs + 5], kindAt('invitee.created'));
      await receive(store, [startMs + hourMs, startMs + 2 * hourMs]);
      // Received in the first hour, and stored last, as after a replay.
      await receive(store, [startMs + 6], kindAt('contact.moved'));
      expect(await countDeliveriesOf(store, firstHour)).toMatchObject({ deliveries: 7, bookings: 1, cancellations: 0 });
      expect(await countDeliveriesOf(store, untilNow)).toMatchObject({ deliveries: 9 });
      await receive(store, [startMs + 3 * hourMs], sampleOf('invitee.canceled'));
      await receive(store, [startMs + 4 * hourMs], sampleOf('invitee_no_show.created'));
      expect(await countDeliveriesOf(store, firstHour)).toMatchObject({ deliveries: 7 });
      const each = { bookings: 1, cancellations: 1, no_shows: 1 };
      expect(await countDeliveriesOf(store, untilNow)).toEqual({ deliveries: 11, ...each });
      // What was read from the API is no delivery.
      await store.db.updateTable('event_log').set({ source: 'backfill', event: 'contact.read' }).execute();
      expect(await countDeliveriesOf(store, untilNow)).toMatchObject({ deliveries: 0 });
    });
  });

it('The counts of deliveries on sqlite are read from the index of times, with an end and without', async () => {
  await using opened = await freshMemory();
  const plans: unknown[] = [];
  const db = opened.store.db.withPlugin({
    transformQuery: ({ node }) => RawNode.create(['explain query plan ', ''], [node]),
    async transformResult({ result }) {
      plans.push(result.rows);
      return { ...result, rows: [] };
    },
  });
  await countDeliveriesOf({ ...opened.store, db }, { fromMs: startMs });
  await countDeliveriesOf({ ...opened.store, db }, { fromMs: startMs, toMs: startMs + hourMs });
  expect(plans).toHaveLength(2);
  for (const plan of plans)
    expect(JSON.stringify(plan)).toContain('SEARCH event_log USING COVERING INDEX event_log_received_at');
});
