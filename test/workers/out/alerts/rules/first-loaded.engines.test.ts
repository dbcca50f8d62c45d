// A rule reports only what happened after it was first loaded.
import { describe, expect } from 'vitest';
import { instantOf } from '#src/base/time.ts';
import type { Store } from '#src/store/contract.ts';
import { registerRules } from '#workers/out/alerts/rules/first-loaded.ts';
import type { BookingRule } from '#workers/out/alerts/rules/ruleset.ts';
import { registerWatcher } from '#workers/out/alerts/rules/watcher.ts';
import { catchUp } from '../../../../harness/alerts/alert-world.ts';
import { bookingRules } from '../../../../harness/alerts/watched-rules.ts';
import { noShowBooking } from '../../../../harness/data/no-show-bookings.ts';
import { ingestBodies, oneEngine, rowsOf, testWith } from '../../../../harness/stores.ts';

const startMs = Date.UTC(2026, 10, 16, 12);
const hourMs = 3_600_000;
const noShow = (name: string) => ({ name, when: 'no_show' });

/** Starts a process with these rules and evaluates the log. */
async function run(store: Store, rules: readonly BookingRule[], nowMs: number): Promise<void> {
  const firstLoaded = await registerRules(store, rules, instantOf(nowMs));
  await registerWatcher({ store, nowMs: () => nowMs });
  await catchUp({ store, nowMs: () => nowMs }, { rules, maxAgeMs: 24 * hourMs, firstLoaded });
}

const alerted = async (store: Store) =>
  (await rowsOf(store, 'alerts')).map(({ rule, subject_uri: uri, state }) => [rule, uri, state].join(' ')).toSorted();

describe.each(oneEngine)('a rule on $name', ({ fresh }) => {
  const it = testWith(fresh);

  it('that is added later does not report a booking from before, whenever that is touched; the older rule does', async ({
    store,
  }) => {
    const [before, after] = [noShowBooking(1, startMs + hourMs), noShowBooking(2, startMs + 3 * hourMs)];
    await run(store, await bookingRules(noShow('first')), startMs);
    const both = await bookingRules(noShow('first'), noShow('second'));
    await run(store, both, startMs + 2 * hourMs);
    await ingestBodies(store, [before.marked, after.marked]);
    await run(store, both, startMs + 4 * hourMs);
    const expected = [
      `first ${before.uri} pending`,
      `first ${after.uri} pending`,
      `second ${after.uri} pending`,
    ].toSorted();
    expect(await alerted(store)).toEqual(expected);
    // The times are not forgotten while another rules file is in use.
    await run(store, await bookingRules(noShow('second')), startMs + 5 * hourMs);
    await ingestBodies(store, [before.booked, after.booked]);
    await run(store, both, startMs + 6 * hourMs);
    expect(await alerted(store)).toEqual(expected);
  });

  it('of a new installation reports nothing from before its first start', async ({ store }) => {
    const rules = await bookingRules(noShow('first'));
    await run(store, rules, startMs);
    const [before, after] = [noShowBooking(1, startMs - hourMs), noShowBooking(2, startMs + hourMs)];
    await ingestBodies(store, [before.marked, after.marked]);
    await run(store, rules, startMs + 2 * hourMs);
    expect(await alerted(store)).toEqual([`first ${after.uri} pending`]);
  });

  it('has a time whatever its name is', async ({ store }) => {
    await registerRules(store, [], instantOf(startMs));
    const times = await registerRules(store, [{ name: 'constructor' }], instantOf(startMs));
    expect([...times]).toEqual([['constructor', instantOf(startMs)]]);
  });

  it('has one time when several processes load it at once', async ({ opened, store }) => {
    const another = await opened.openAnother();
    const rules = await bookingRules(noShow('first'), noShow('second'));
    const times = await Promise.all(
      [store, another, store].map((store, n) => registerRules(store, rules, instantOf(startMs + n))),
    );
    expect(new Set(times.map((each) => JSON.stringify([...each].toSorted()))).size).toBe(1);
  });
});
