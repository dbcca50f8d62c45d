// The watcher: from the log to the outbox. alerts-property.engines.test.ts tries its rules on both stores.
import { describe, expect } from 'vitest';
import { instantOf } from '#src/base/time.ts';
import type { Store } from '#src/store/contract.ts';
import { markSent } from '#src/store/alerts/send-results.ts';
import { alertsAbout, type Alert } from '#src/store/alerts/alert-rows.ts';
import { loadBookingContexts } from '#src/read/bookings/booking-context.ts';
import { loadRules, type BookingRule } from '#workers/alerts/rules/ruleset.ts';
import { erase } from '#workers/privacy/erase.ts';
import { targetOf } from '#workers/privacy/target.ts';
import { ingestRecords } from '#workers/sync/records.ts';
import { rebuild } from '#workers/sync/rebuild.ts';
import { replay } from '#workers/sync/replay.ts';
import { readPosition } from '#src/store/log/consumer-offsets.ts';
import { privacyScreen } from '#workers/privacy/screen.ts';
import type { JsonObject } from '#schemas/wire.ts';
import { noShowBooking } from '../../../harness/data/no-show-bookings.ts';
import { availableEngines, ingestBodies, oneEngine, rowsOf, testWith } from '../../../harness/stores.ts';
import { catchUp } from '../../../harness/alerts/alert-world.ts';
import { bookingRules } from '../../../harness/alerts/watched-rules.ts';

const nowMs = Date.UTC(2026, 10, 16, 12);
const hourMs = 3_600_000;
const screen = privacyScreen({ eraseOnDelete: true });

interface Watching {
  watch(atMs?: number): Promise<void>;
  alerts(): Promise<readonly Alert[]>;
}

async function watching(store: Store, rules?: readonly BookingRule[]): Promise<Watching> {
  const chosen = rules ?? (await loadRules({ file: undefined, graceMs: 120_000, configured: [] })).bookings;
  const watch = (atMs = nowMs) => catchUp({ store, nowMs: () => atMs }, { rules: chosen, maxAgeMs: 24 * hourMs });
  await watch();
  const alerts = async () => {
    const subjects = (await rowsOf(store, 'alerts')).map(({ subject_uri: uri }) => String(uri));
    return alertsAbout(store, subjects);
  };
  return { watch, alerts };
}

function contactBody(how: 'created' | 'updated' | 'deleted', minute: number, emails: readonly string[]): string {
  const at = instantOf(nowMs + minute * 60_000);
  const payload = {
    uri: 'https://api.scheduling.test/contacts/1',
    updated_at: at,
    company: 'Acme',
    emails: emails.map((email) => ({ email, is_primary: true })),
  };
  const { uri } = payload;
  return JSON.stringify({ event: `contact.${how}`, created_at: at, payload: how === 'deleted' ? { uri } : payload });
}

const markAllSent = (store: Store, alerts: readonly Alert[], atMs = nowMs) =>
  store.transaction((unit) => markSent(unit, alerts, instantOf(atMs)));

/** As a list of the service shows it. */
function recordOf(body: string): JsonObject {
  const { scheduled_event: _embedded, ...record } = (JSON.parse(body) as { payload: JsonObject }).payload;
  return record;
}

describe.each(oneEngine)('the watcher on $name', ({ fresh }) => {
  const it = testWith(fresh);

  it('writes one alert per mark, due when the grace period is over, in the transaction that moves its offset', async ({
    store,
  }) => {
    const { watch, alerts } = await watching(store);
    const booking = noShowBooking(1, nowMs - hourMs);
    await ingestBodies(store, [booking.booked, booking.marked, booking.marked]);
    await watch();
    await watch();
    const [alert, ...more] = await alerts();
    expect(more).toEqual([]);
    expect(alert).toMatchObject({ rule: 'no_show', channel: 'log', state: 'pending', subject_uri: booking.uri });
    expect(alert?.due_at).toBe(instantOf(nowMs + 120_000));
    expect(await readPosition(store, 'alerts:bookings')).toBe(2);
    const row = JSON.stringify(await rowsOf(store, 'alerts'));
    expect(row).not.toMatch(/Person 1|person-1/);
  });

  it('reports nothing that happened before it was registered or is too old, whatever its source', async ({ store }) => {
    const before = noShowBooking(1, nowMs - hourMs);
    await ingestBodies(store, [before.booked, before.marked]);
    const { watch, alerts } = await watching(store);
    const old = noShowBooking(2, nowMs - 25 * hourMs);
    await ingestBodies(store, [old.marked]);
    const source = { source: 'backfill', now: instantOf(nowMs) } as const;
    const history = [3, 4, 5].map((n) => noShowBooking(n, nowMs - n * 24 * hourMs));
    const records = history.map(({ marked }) => ({
      kind: 'invitee' as const,
      record: recordOf(marked),
      observed: instantOf(nowMs),
    }));
    await ingestRecords({ store, screen }, records, source);
    await watch();
    await replay({ store, screen }, {});
    await rebuild({ store, screen });
    await watch();
    expect(await alerts()).toEqual([]);
  });

  it('reports what the repair of a gap finds, when it is recent', async ({ store }) => {
    const { watch, alerts } = await watching(store);
    const booking = noShowBooking(1, nowMs - 23 * hourMs);
    const record = { kind: 'invitee' as const, record: recordOf(booking.marked), observed: instantOf(nowMs) };
    await ingestRecords({ store, screen }, [record], { source: 'reconcile', now: instantOf(nowMs) });
    await watch();
    expect(await alerts()).toMatchObject([{ subject_uri: booking.uri, state: 'pending' }]);
  });

  it('closes an alert when only the next booking says that the missed one was moved to it', async ({ store }) => {
    const { watch, alerts } = await watching(store);
    const [missed, next] = [noShowBooking(1, nowMs), noShowBooking(2, nowMs)];
    await ingestBodies(store, [missed.booked, missed.marked]);
    await watch();
    await ingestBodies(store, [next.booked.replace('"old_invitee":null', `"old_invitee":"${missed.uri}"`)]);
    await watch();
    expect(await alerts()).toMatchObject([{ state: 'retracted', sent_at: null }]);
  });

  it('retracts an alert that was sent, and sends it with another key when the fact is true again', async ({
    store,
  }) => {
    const { watch, alerts } = await watching(store);
    const booking = noShowBooking(1, nowMs);
    await ingestBodies(store, [booking.booked, booking.marked]);
    await watch();
    await markAllSent(store, await alerts());
    await ingestBodies(store, [booking.unmarked]);
    await watch();
    const retracting = await alerts();
    expect(retracting).toMatchObject([{ state: 'retracting', episode: 1, due_at: instantOf(nowMs) }]);
    await markAllSent(store, retracting);
    expect(await alerts()).toMatchObject([{ state: 'retracted', episode: 1, claimed_at: null }]);

    // The same mark in a newer snapshot: it was not removed after all.
    const record = { ...recordOf(booking.marked), updated_at: instantOf(nowMs + 120_000) };
    const reading = { kind: 'invitee' as const, record, observed: instantOf(nowMs + 120_000) };
    await ingestRecords({ store, screen }, [reading], { source: 'reconcile', now: instantOf(nowMs) });
    await watch();
    expect(await alerts()).toMatchObject([{ state: 'pending', episode: 2, sent_at: null }]);
  });

  it('sends an alert again after a retraction that was sent although it had been canceled', async ({ store }) => {
    const { watch, alerts } = await watching(store);
    const booking = noShowBooking(1, nowMs);
    await ingestBodies(store, [booking.booked, booking.marked]);
    await watch();
    await markAllSent(store, await alerts());
    await ingestBodies(store, [booking.unmarked]);
    await watch();
    const beingSent = await alerts();
    const record = { ...recordOf(booking.marked), updated_at: instantOf(nowMs + 120_000) };
    const reading = { kind: 'invitee' as const, record, observed: instantOf(nowMs + 120_000) };
    await ingestRecords({ store, screen }, [reading], { source: 'reconcile', now: instantOf(nowMs) });
    await watch();
    expect(await alerts()).toMatchObject([{ state: 'sent', episode: 1 }]);

    await markAllSent(store, beingSent, nowMs + 1_000);
    const again = await alerts();
    expect(again).toMatchObject([{ state: 'pending', episode: 2, sent_at: null, due_at: instantOf(nowMs + 1_000) }]);
    // Only once: a late answer to the same retraction finds the alert sent since.
    await markAllSent(store, again);
    await markAllSent(store, beingSent);
    expect(await alerts()).toMatchObject([{ state: 'sent', episode: 2 }]);
  });

  it('counts marks per person, ignoring the letter case of the address, also when an earlier mark arrives later', async ({
    store,
  }) => {
    const { watch, alerts } = await watching(store, await bookingRules({ name: 'again', when: 'repeat_no_show' }));
    const [earlier, later] = [noShowBooking(1, nowMs - 48 * hourMs), noShowBooking(2, nowMs - hourMs)];
    await ingestBodies(store, [later.marked.replaceAll('person-2@', 'Ada@')]);
    await watch();
    expect(await alerts()).toEqual([]);
    await ingestBodies(store, [earlier.marked.replaceAll('person-1@', 'ADA@')]);
    await watch();
    expect(await alerts()).toMatchObject([{ rule: 'again', subject_uri: later.uri }]);
    await ingestBodies(store, [earlier.unmarked.replaceAll('person-1@', 'ada@')]);
    await watch();
    expect(await alerts()).toMatchObject([{ rule: 'again', subject_uri: later.uri, state: 'retracted' }]);
  });

  it('evaluates the other bookings of a person when a booking no longer belongs to them', async ({ store }) => {
    const rules = await bookingRules({ name: 'again', when: 'repeat_no_show' });
    const { watch, alerts } = await watching(store, rules);
    const [earlier, later] = [noShowBooking(1, nowMs - 48 * hourMs), noShowBooking(2, nowMs - hourMs)];
    await ingestBodies(store, [later.marked, earlier.marked.replaceAll('person-1@', 'Person-2@')]);
    await watch();
    expect(await alerts()).toMatchObject([{ subject_uri: later.uri, state: 'pending' }]);
    const record = { ...recordOf(earlier.marked), updated_at: instantOf(nowMs) };
    const reading = { kind: 'invitee' as const, record, observed: instantOf(nowMs) };
    await ingestRecords({ store, screen }, [reading], { source: 'reconcile', now: instantOf(nowMs) });
    await watch();
    expect(await alerts()).toMatchObject([{ subject_uri: later.uri, state: 'retracted' }]);
  });

  it('evaluates bookings again when a contact is created, changes its addresses, or is redacted', async ({ store }) => {
    const { watch, alerts } = await watching(
      store,
      await bookingRules({ name: 'acme', when: 'vip', contact: { company: 'Acme' } }),
    );
    const states = async () => {
      await watch();
      return (await alerts()).map(({ state }) => state);
    };
    const booking = noShowBooking(1, nowMs - hourMs);
    await ingestBodies(store, [booking.marked]);
    expect(await states()).toEqual([]);
    await ingestBodies(store, [contactBody('created', 1, ['Person-1@Example.test'])]);
    expect(await states()).toEqual(['pending']);
    await ingestBodies(store, [contactBody('updated', 2, ['another@example.test'])]);
    expect(await states()).toEqual(['retracted']);
    await ingestBodies(store, [contactBody('updated', 3, ['person-1@example.test'])]);
    expect(await states()).toEqual(['pending']);
    await ingestBodies(store, [contactBody('deleted', 4, [])]);
    expect(await states()).toEqual(['retracted']);
  });

  it('sends nothing about an erased person, not even a retraction', async ({ store }) => {
    const { watch, alerts } = await watching(store);
    const booking = noShowBooking(1, nowMs);
    await ingestBodies(store, [booking.booked, booking.marked]);
    await watch();
    await markAllSent(store, await alerts());
    await erase({ store, newKey: () => 'k'.repeat(64) }, targetOf('person-1@example.test'), {
      now: instantOf(nowMs + 200_000),
    });
    await watch();
    expect(await alerts()).toEqual([]);
    await ingestBodies(store, [booking.unmarked, booking.canceled]);
    await watch();
    const later = booking.marked.replaceAll(/(invitee_no_shows\/)[^"]+/g, '$1another');
    await ingestBodies(store, [later]);
    await watch();
    expect(await alerts()).toEqual([]);
    expect((await loadBookingContexts(store, [booking.uri])).size).toBe(0);
  });

  it('leaves alerts of removed rules as they are', async ({ store }) => {
    const { watch, alerts } = await watching(store);
    const booking = noShowBooking(1, nowMs);
    await ingestBodies(store, [booking.booked, booking.marked]);
    await watch();
    await markAllSent(store, await alerts());
    const renamed = (await loadRules({ file: undefined, graceMs: 0, configured: [] })).bookings.map((rule) => ({
      ...rule,
      name: 'renamed',
    }));
    const other = await watching(store, renamed);
    await ingestBodies(store, [booking.unmarked]);
    await other.watch();
    expect(await alerts()).toMatchObject([{ rule: 'no_show', state: 'sent' }]);
  });
});

describe.each(availableEngines)('several watchers on $name', ({ fresh }) => {
  const it = testWith(fresh);

  it('report everything once when they run at the same time', async ({ opened, store }) => {
    const { alerts } = await watching(store);
    const another = await opened.openAnother();
    const rules = (await loadRules({ file: undefined, graceMs: 0, configured: [] })).bookings;
    const bodies = Array.from({ length: 30 }, (_, n) => noShowBooking(n, nowMs - n * 60_000).marked);
    await ingestBodies(store, bodies);
    const run = (on: Store) => catchUp({ store: on, nowMs: () => nowMs }, { rules, maxAgeMs: 24 * hourMs });
    await Promise.all([run(store), run(another), run(store), run(another)]);
    expect(await alerts()).toHaveLength(30);
  });
});
