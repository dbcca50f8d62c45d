// The watcher: from the log to the outbox. alerts-property.engines.test.ts tries its rules on both stores.
import { describe, expect } from 'vitest';
import { instantOf } from '#src/base/time.ts';
import type { Store } from '#src/store/contract.ts';
import { markSent } from '#src/store/alerts/send-results.ts';
import { alertsAbout, type Alert } from '#src/store/alerts/alert-rows.ts';
import { loadBookingContexts } from '#src/read/bookings/booking-context.ts';
import { loadRules, type BookingRule } from '#workers/out/alerts/rules/ruleset.ts';
import { erase } from '#workers/fold/privacy/erase.ts';
import { targetOf } from '#workers/fold/privacy/target.ts';
import { ingestRecords } from '#workers/sync/records.ts';
import { rebuild } from '#workers/sync/rebuild.ts';
import { replay } from '#workers/sync/replay.ts';
import { readPosition } from '#src/store/log/consumer-offsets.ts';
import { privacyScreen } from '#workers/fold/privacy/screen.ts';
import type { JsonObject } from '#schemas/wire.ts';
import { noShowBooking } from '../../../../harness/data/no-show-bookings.ts';
import { availableEngines, ingestBodies, oneEngine, rowsOf, testWith } from '../../../../harness/stores.ts';
import { catchUp } from '../../../../harness/alerts/alert-world.ts';
import { bookingRules } from '../../../../harness/alerts/watched-rules.ts';

const nowMs = Date.UTC(2026, 10, 16, 12);
const hourMs = 3_600_000;
const screen = privacyScreen({ eraseOnDelete: true });

async function watching(store: Store, rules?: readonly BookingRule[]) {
  const chosen = rules ?? (await loadRules({ file: undefined, graceMs: 120_000, configured: [] })).bookings;
  const watch = () => catchUp({ store, nowMs: () => nowMs }, { rules: chosen, maxAgeMs: 24 * hourMs });
  await watch();
  const alerts = async () => {
    const subjects = (await rowsOf(store, 'alerts')).map(({ subject_uri: uri }) => String(uri));
    return alertsAbout(store, subjects);
  };
  const watched = async () => {
    await watch();
    return (await alerts()).map(({ subject_uri: uri, state, episode }) => ({ uri, state, episode }));
  };
  return {
    watch,
    alerts,
    markSent: (sent: readonly Alert[], atMs = nowMs) =>
      store.transaction((unit) => markSent(unit, sent, instantOf(atMs))),
    /** The alerts after these deliveries. */
    async after(...bodies: readonly string[]) {
      await ingestBodies(store, bodies);
      return watched();
    },
    /** The alerts after a list of the service showed what this delivery says. */
    async afterReading(body: string, { minute = 0, source = 'reconcile' as 'reconcile' | 'backfill' } = {}) {
      const { scheduled_event: _embedded, ...sent } = (JSON.parse(body) as { payload: JsonObject }).payload;
      const observed = instantOf(nowMs + minute * 60_000);
      const record = minute > 0 ? { ...sent, updated_at: observed } : sent;
      await ingestRecords({ store, screen }, [{ kind: 'invitee', record, observed }], {
        source,
        now: instantOf(nowMs),
      });
      return watched();
    },
  };
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

describe.each(oneEngine)('the watcher on $name', ({ fresh }) => {
  const it = testWith(fresh);

  it('writes one alert per mark, due when the grace period is over, in the transaction that moves its offset', async ({
    store,
  }) => {
    const { after, alerts } = await watching(store);
    const { uri, booked, marked } = noShowBooking(1, nowMs - hourMs);
    expect(await after(booked, marked, marked)).toEqual([{ uri, state: 'pending', episode: 1 }]);
    expect(await after()).toHaveLength(1);
    const due_at = instantOf(nowMs + 120_000);
    expect(await alerts()).toMatchObject([{ rule: 'no_show', channel: 'log', due_at }]);
    expect(await readPosition(store, 'alerts:bookings')).toBe(2);
    expect(JSON.stringify(await rowsOf(store, 'alerts'))).not.toMatch(/Person 1|person-1/);
  });

  it('reports nothing that happened before it was registered or is too old, whatever its source', async ({ store }) => {
    const before = noShowBooking(1, nowMs - hourMs);
    await ingestBodies(store, [before.booked, before.marked]);
    const { after, afterReading } = await watching(store);
    expect(await after(noShowBooking(2, nowMs - 25 * hourMs).marked)).toEqual([]);
    for (const n of [3, 4, 5]) {
      const { marked } = noShowBooking(n, nowMs - n * 24 * hourMs);
      expect(await afterReading(marked, { source: 'backfill' })).toEqual([]);
    }
    await replay({ store, screen }, {});
    await rebuild({ store, screen });
    expect(await after()).toEqual([]);
  });

  it('reports what the repair of a gap finds, when it is recent', async ({ store }) => {
    const { afterReading } = await watching(store);
    const { uri, marked } = noShowBooking(1, nowMs - 23 * hourMs);
    expect(await afterReading(marked)).toMatchObject([{ uri, state: 'pending' }]);
  });

  it('closes an alert when only the next booking says that the missed one was moved to it', async ({ store }) => {
    const { after, alerts } = await watching(store);
    const [missed, next] = [noShowBooking(1, nowMs), noShowBooking(2, nowMs)];
    expect(await after(missed.booked, missed.marked)).toMatchObject([{ state: 'pending' }]);
    await after(next.booked.replace('"old_invitee":null', `"old_invitee":"${missed.uri}"`));
    expect(await alerts()).toMatchObject([{ state: 'retracted', sent_at: null }]);
  });

  it('retracts an alert that was sent, and sends it with another key when the fact is true again', async ({
    store,
  }) => {
    const { after, afterReading, alerts, markSent: sendAll } = await watching(store);
    const { booked, marked, unmarked } = noShowBooking(1, nowMs);
    await after(booked, marked);
    await sendAll(await alerts());
    expect(await after(unmarked)).toMatchObject([{ state: 'retracting', episode: 1 }]);
    const retracting = await alerts();
    expect(retracting).toMatchObject([{ due_at: instantOf(nowMs) }]);
    await sendAll(retracting);
    expect(await alerts()).toMatchObject([{ state: 'retracted', episode: 1, claimed_at: null }]);
    // The same mark in a newer snapshot: it was not removed after all.
    expect(await afterReading(marked, { minute: 2 })).toMatchObject([{ state: 'pending', episode: 2 }]);
    expect(await alerts()).toMatchObject([{ sent_at: null }]);
  });

  it('sends an alert again after a retraction that was sent although it had been canceled', async ({ store }) => {
    const { after, afterReading, alerts, markSent: sendAll } = await watching(store);
    const { booked, marked, unmarked } = noShowBooking(1, nowMs);
    await after(booked, marked);
    await sendAll(await alerts());
    await after(unmarked);
    const beingSent = await alerts();
    expect(await afterReading(marked, { minute: 2 })).toMatchObject([{ state: 'sent', episode: 1 }]);

    await sendAll(beingSent, nowMs + 1_000);
    const again = await alerts();
    expect(again).toMatchObject([{ state: 'pending', episode: 2, sent_at: null, due_at: instantOf(nowMs + 1_000) }]);
    // Only once: a late answer to the same retraction finds the alert sent since.
    await sendAll(again);
    await sendAll(beingSent);
    expect(await alerts()).toMatchObject([{ state: 'sent', episode: 2 }]);
  });

  it('counts marks per person, ignoring the letter case of the address, also when an earlier mark arrives later, is removed, or turns out to be of another person', async ({
    store,
  }) => {
    const { after, afterReading } = await watching(
      store,
      await bookingRules({ name: 'again', when: 'repeat_no_show' }),
    );
    const [earlier, later] = [noShowBooking(1, nowMs - 48 * hourMs), noShowBooking(2, nowMs - hourMs)];
    const { uri } = later;
    expect(await after(later.marked.replaceAll('person-2@', 'Ada@'))).toEqual([]);
    const ofAda = earlier.marked.replaceAll('person-1@', 'ADA@');
    expect(await after(ofAda)).toMatchObject([{ uri, state: 'pending' }]);
    expect(await after(earlier.unmarked.replaceAll('person-1@', 'ada@'))).toMatchObject([{ uri, state: 'retracted' }]);
    expect(await afterReading(ofAda, { minute: 1 })).toMatchObject([{ uri, state: 'pending' }]);
    expect(await afterReading(earlier.marked, { minute: 2 })).toMatchObject([{ uri, state: 'retracted' }]);
  });

  it('evaluates bookings again when a contact is created, changes its addresses, or is redacted', async ({ store }) => {
    const rules = await bookingRules({ name: 'acme', when: 'vip', contact: { company: 'Acme' } });
    const { after } = await watching(store, rules);
    expect(await after(noShowBooking(1, nowMs - hourMs).marked)).toEqual([]);
    const steps = [
      [contactBody('created', 1, ['Person-1@Example.test']), 'pending'],
      [contactBody('updated', 2, ['another@example.test']), 'retracted'],
      [contactBody('updated', 3, ['person-1@example.test']), 'pending'],
      [contactBody('deleted', 4, []), 'retracted'],
    ] as const;
    for (const [body, state] of steps) expect(await after(body)).toMatchObject([{ state }]);
  });

  it('sends nothing about an erased person, not even a retraction', async ({ store }) => {
    const { after, alerts, markSent: sendAll } = await watching(store);
    const { uri, booked, marked, unmarked, canceled } = noShowBooking(1, nowMs);
    await after(booked, marked);
    await sendAll(await alerts());
    const now = instantOf(nowMs + 200_000);
    await erase({ store, newKey: () => 'k'.repeat(64) }, targetOf('person-1@example.test'), { now });
    const later = marked.replaceAll(/(invitee_no_shows\/)[^"]+/g, '$1another');
    for (const bodies of [[], [unmarked, canceled], [later]]) expect(await after(...bodies)).toEqual([]);
    expect((await loadBookingContexts(store, [uri])).size).toBe(0);
  });

  it('leaves alerts of removed rules as they are', async ({ store }) => {
    const { after, alerts, markSent: sendAll } = await watching(store);
    const { booked, marked, unmarked } = noShowBooking(1, nowMs);
    await after(booked, marked);
    await sendAll(await alerts());
    const other = await watching(store, await bookingRules({ name: 'renamed', when: 'no_show' }));
    await other.after(unmarked);
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
