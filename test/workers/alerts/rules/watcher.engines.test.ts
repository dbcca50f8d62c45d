// What the watcher makes of the log, on both stores: the outbox of what is to be said.
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Store } from '#src/store/contract.ts';
import { markSent } from '#src/store/alerts/send-results.ts';
import { alertsAbout, type Alert } from '#src/store/alerts/alert-rows.ts';
import { loadCases } from '#workers/alerts/rules/booking-context.ts';
import { timeOf } from '#workers/alerts/outbox/apply.ts';
import { loadRules, type BookingRule } from '#workers/alerts/rules/ruleset.ts';
import { catchUp, watcherPosition } from '#workers/alerts/rules/watcher.ts';
import { erase } from '#workers/privacy/erase.ts';
import { targetOf } from '#workers/privacy/target.ts';
import { ingestRecords } from '#workers/sync/records.ts';
import { rebuild } from '#workers/sync/rebuild.ts';
import { replay } from '#workers/sync/replay.ts';
import { readPosition } from '#src/store/log/consumer-offsets.ts';
import { privacyScreen } from '#workers/privacy/screen.ts';
import type { JsonObject } from '#schemas/wire.ts';
import { missedBooking } from '../../../harness/missed.ts';
import { ingestBodies, rowsOf, storeEngines } from '../../../harness/stores.ts';

const nowMs = Date.UTC(2026, 10, 16, 12);
const hourMs = 3_600_000;
const screen = privacyScreen({ eraseOnDelete: true });

interface Watching {
  readonly store: Store;
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
  return { store, watch, alerts };
}

async function rulesOf(...rules: readonly object[]): Promise<readonly BookingRule[]> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'slotstream-rules-'));
  const file = join(folder.path, 'rules.json');
  await writeFile(file, JSON.stringify({ rules }));
  return (await loadRules({ file, graceMs: 0, configured: [] })).bookings;
}

function contactBody(how: 'created' | 'updated' | 'deleted', minute: number, emails: readonly string[]): string {
  const at = timeOf(nowMs + minute * 60_000);
  const payload = {
    uri: 'https://api.scheduling.test/contacts/1',
    updated_at: at,
    company: 'Acme',
    emails: emails.map((email) => ({ email, is_primary: true })),
  };
  const { uri } = payload;
  return JSON.stringify({ event: `contact.${how}`, created_at: at, payload: how === 'deleted' ? { uri } : payload });
}

const say = (store: Store, alerts: readonly Alert[], atMs = nowMs) =>
  store.transaction((unit) => markSent(unit, alerts, timeOf(atMs)));

/** As a list of the service shows it. */
function recordOf(body: string): JsonObject {
  const { scheduled_event: _embedded, ...record } = (JSON.parse(body) as { payload: JsonObject }).payload;
  return record;
}

describe.each(storeEngines.filter(({ available }) => available))('the watcher on $name', ({ fresh }) => {
  it('writes one alert for a mark, due when the grace is over, in the transaction that moves its position', async () => {
    await using opened = await fresh();
    const { store, watch, alerts } = await watching(opened.store);
    const missed = missedBooking(1, nowMs - hourMs);
    await ingestBodies(store, [missed.booked, missed.marked, missed.marked]);
    await watch();
    await watch();
    const [alert, ...more] = await alerts();
    expect(more).toEqual([]);
    expect(alert).toMatchObject({ rule: 'no_show', channel: 'log', state: 'pending', subjectUri: missed.uri });
    expect(alert?.dueAt).toBe(timeOf(nowMs + 120_000));
    expect(await readPosition(store, watcherPosition)).toBe(2);
    const row = JSON.stringify(await rowsOf(store, 'alerts'));
    expect(row).not.toMatch(/Person 1|person-1/);
  });

  it('says nothing of what happened before it was there, nor of what is too old, whatever its source', async () => {
    await using opened = await fresh();
    const before = missedBooking(1, nowMs - hourMs);
    await ingestBodies(opened.store, [before.booked, before.marked]);
    const { store, watch, alerts } = await watching(opened.store);
    const old = missedBooking(2, nowMs - 25 * hourMs);
    await ingestBodies(store, [old.marked]);
    const source = { source: 'backfill', now: timeOf(nowMs) } as const;
    const history = [3, 4, 5].map((n) => missedBooking(n, nowMs - n * 24 * hourMs));
    const records = history.map(({ marked }) => ({
      kind: 'invitee' as const,
      record: recordOf(marked),
      observed: timeOf(nowMs),
    }));
    await ingestRecords({ store, screen }, records, source);
    await watch();
    await replay({ store, screen }, {});
    await rebuild({ store, screen });
    await watch();
    expect(await alerts()).toEqual([]);
  });

  it('says what a repaired gap tells, when that is recent', async () => {
    await using opened = await fresh();
    const { store, watch, alerts } = await watching(opened.store);
    const missed = missedBooking(1, nowMs - 23 * hourMs);
    const record = { kind: 'invitee' as const, record: recordOf(missed.marked), observed: timeOf(nowMs) };
    await ingestRecords({ store, screen }, [record], { source: 'reconcile', now: timeOf(nowMs) });
    await watch();
    expect(await alerts()).toMatchObject([{ subjectUri: missed.uri, state: 'pending' }]);
  });

  it.each(['unmarked', 'canceled'] as const)('keeps silent about what is %s within the grace', async (how) => {
    await using opened = await fresh();
    const { store, watch, alerts } = await watching(opened.store);
    const missed = missedBooking(1, nowMs);
    await ingestBodies(store, [missed.booked, missed.marked]);
    await watch();
    await ingestBodies(store, [missed[how]]);
    await watch();
    expect(await alerts()).toMatchObject([{ state: 'retracted', sentAt: null, follows: null }]);
  });

  it('takes back what was said, and says it under another key when it is so again', async () => {
    await using opened = await fresh();
    const { store, watch, alerts } = await watching(opened.store);
    const missed = missedBooking(1, nowMs);
    await ingestBodies(store, [missed.booked, missed.marked]);
    await watch();
    await say(store, await alerts());
    await ingestBodies(store, [missed.unmarked]);
    await watch();
    const [said, followUp] = await alerts();
    expect(said).toMatchObject({ state: 'retracted', episode: 1 });
    expect(followUp).toMatchObject({ state: 'pending', follows: said?.id, dueAt: timeOf(nowMs) });
    await say(store, followUp ? [followUp] : []);

    // The same mark, told with a newer snapshot: it was not taken back after all.
    const record = { ...recordOf(missed.marked), updated_at: timeOf(nowMs + 120_000) };
    const reading = { kind: 'invitee' as const, record, observed: timeOf(nowMs + 120_000) };
    await ingestRecords({ store, screen }, [reading], { source: 'reconcile', now: timeOf(nowMs) });
    await watch();
    expect(await alerts()).toMatchObject([{ state: 'pending', episode: 2, sentAt: null, follows: null }]);
  });

  it('says once more what a follow-up took back that left although it was not wanted any more', async () => {
    await using opened = await fresh();
    const { store, watch, alerts } = await watching(opened.store);
    const missed = missedBooking(1, nowMs);
    await ingestBodies(store, [missed.booked, missed.marked]);
    await watch();
    await say(store, await alerts());
    await ingestBodies(store, [missed.unmarked]);
    await watch();
    const onItsWay = (await alerts()).filter(({ follows }) => follows !== null);
    expect(onItsWay).toHaveLength(1);
    const record = { ...recordOf(missed.marked), updated_at: timeOf(nowMs + 120_000) };
    const reading = { kind: 'invitee' as const, record, observed: timeOf(nowMs + 120_000) };
    await ingestRecords({ store, screen }, [reading], { source: 'reconcile', now: timeOf(nowMs) });
    await watch();
    expect(await alerts()).toMatchObject([{ state: 'sent', episode: 1, follows: null }]);

    await say(store, onItsWay, nowMs + 1_000);
    const again = await alerts();
    expect(again).toMatchObject([{ state: 'pending', episode: 2, sentAt: null, dueAt: timeOf(nowMs + 1_000) }]);
    // Once: a late answer to the same follow-up finds it said since.
    await say(store, again);
    await say(store, onItsWay);
    expect(await alerts()).toMatchObject([{ state: 'sent', episode: 2, follows: null }]);
  });

  it('takes back what was silenced while it was on its way', async () => {
    await using opened = await fresh();
    const { store, watch, alerts } = await watching(opened.store);
    const missed = missedBooking(1, nowMs);
    await ingestBodies(store, [missed.booked, missed.marked]);
    await watch();
    const onItsWay = await alerts();
    await ingestBodies(store, [missed.unmarked]);
    await watch();
    await say(store, onItsWay);
    expect((await alerts()).map(({ state, follows }) => [state, follows !== null])).toEqual([
      ['retracted', false],
      ['pending', true],
    ]);
  });

  it('counts for one person whatever the letter case of their address, also when an earlier mark comes later', async () => {
    await using opened = await fresh();
    const { store, watch, alerts } = await watching(
      opened.store,
      await rulesOf({ name: 'again', when: 'repeat_no_show' }),
    );
    const [earlier, later] = [missedBooking(1, nowMs - 48 * hourMs), missedBooking(2, nowMs - hourMs)];
    await ingestBodies(store, [later.marked.replaceAll('person-2@', 'Ada@')]);
    await watch();
    expect(await alerts()).toEqual([]);
    await ingestBodies(store, [earlier.marked.replaceAll('person-1@', 'ADA@')]);
    await watch();
    expect(await alerts()).toMatchObject([{ rule: 'again', subjectUri: later.uri }]);
    await ingestBodies(store, [earlier.unmarked.replaceAll('person-1@', 'ada@')]);
    await watch();
    expect(await alerts()).toMatchObject([{ rule: 'again', subjectUri: later.uri, state: 'retracted' }]);
  });

  it('asks again about the others of a person to whom a booking no longer belongs', async () => {
    await using opened = await fresh();
    const rules = await rulesOf({ name: 'again', when: 'repeat_no_show' });
    const { store, watch, alerts } = await watching(opened.store, rules);
    const [earlier, later] = [missedBooking(1, nowMs - 48 * hourMs), missedBooking(2, nowMs - hourMs)];
    await ingestBodies(store, [later.marked, earlier.marked.replaceAll('person-1@', 'Person-2@')]);
    await watch();
    expect(await alerts()).toMatchObject([{ subjectUri: later.uri, state: 'pending' }]);
    const record = { ...recordOf(earlier.marked), updated_at: timeOf(nowMs) };
    const reading = { kind: 'invitee' as const, record, observed: timeOf(nowMs) };
    await ingestRecords({ store, screen }, [reading], { source: 'reconcile', now: timeOf(nowMs) });
    await watch();
    expect(await alerts()).toMatchObject([{ subjectUri: later.uri, state: 'retracted' }]);
  });

  it('asks again when a contact comes, changes its addresses, or is forgotten', async () => {
    await using opened = await fresh();
    const { store, watch, alerts } = await watching(
      opened.store,
      await rulesOf({ name: 'acme', when: 'vip', contact: { company: 'Acme' } }),
    );
    const states = async () => {
      await watch();
      return (await alerts()).filter(({ follows }) => follows === null).map(({ state }) => state);
    };
    const missed = missedBooking(1, nowMs - hourMs);
    await ingestBodies(store, [missed.marked]);
    expect(await states()).toEqual([]);
    await ingestBodies(store, [contactBody('created', 1, ['Person-1@Example.test'])]);
    expect(await states()).toEqual(['pending']);
    await ingestBodies(store, [contactBody('updated', 2, ['somebody@example.test'])]);
    expect(await states()).toEqual(['retracted']);
    await ingestBodies(store, [contactBody('updated', 3, ['person-1@example.test'])]);
    expect(await states()).toEqual(['pending']);
    await ingestBodies(store, [contactBody('deleted', 4, [])]);
    expect(await states()).toEqual(['retracted']);
  });

  it('never speaks again of whoever is erased, not even to take something back', async () => {
    await using opened = await fresh();
    const { store, watch, alerts } = await watching(opened.store);
    const missed = missedBooking(1, nowMs);
    await ingestBodies(store, [missed.booked, missed.marked]);
    await watch();
    await say(store, await alerts());
    await erase({ store, newKey: () => 'k'.repeat(64) }, targetOf('person-1@example.test'), {
      now: timeOf(nowMs + 200_000),
    });
    await watch();
    expect(await alerts()).toEqual([]);
    await ingestBodies(store, [missed.unmarked, missed.canceled]);
    await watch();
    const later = missed.marked.replaceAll(/(invitee_no_shows\/)[^"]+/g, '$1another');
    await ingestBodies(store, [later]);
    await watch();
    expect(await alerts()).toEqual([]);
    expect((await loadCases(store, [missed.uri])).size).toBe(0);
  });

  it('leaves alone what rules have said that are no longer there', async () => {
    await using opened = await fresh();
    const { store, watch, alerts } = await watching(opened.store);
    const missed = missedBooking(1, nowMs);
    await ingestBodies(store, [missed.booked, missed.marked]);
    await watch();
    await say(store, await alerts());
    const renamed = (await loadRules({ file: undefined, graceMs: 0, configured: [] })).bookings.map((rule) => ({
      ...rule,
      name: 'renamed',
    }));
    const other = await watching(store, renamed);
    await ingestBodies(store, [missed.unmarked]);
    await other.watch();
    expect(await alerts()).toMatchObject([{ rule: 'no_show', state: 'sent' }]);
  });

  it('says everything once where several watch at the same moment', async () => {
    await using opened = await fresh();
    const { store, alerts } = await watching(opened.store);
    const another = await opened.openAnother();
    const rules = (await loadRules({ file: undefined, graceMs: 0, configured: [] })).bookings;
    const bodies = Array.from({ length: 30 }, (_, n) => missedBooking(n, nowMs - n * 60_000).marked);
    await ingestBodies(store, bodies);
    const run = (on: Store) => catchUp({ store: on, nowMs: () => nowMs }, { rules, maxAgeMs: 24 * hourMs });
    await Promise.all([run(store), run(another), run(store), run(another)]);
    expect(await alerts()).toHaveLength(30);
  });
});
