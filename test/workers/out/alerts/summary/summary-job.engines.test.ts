// The weekly summary on a store: one alert per week and channel, however many processes look, and the numbers counted by hand.
import { describe, expect, it } from 'vitest';
import type { Store } from '#src/store/contract.ts';
import type { SummaryRule } from '#workers/out/alerts/rules/ruleset.ts';
import { summaryJob } from '#workers/out/alerts/summary/summary-job.ts';
import { messagesOf } from '../../../../harness/alerts/alert-world.ts';
import { rulesOf } from '../../../../harness/alerts/watched-rules.ts';
import { ingestCountedBookings } from '../../../../harness/data/counted-bookings.ts';
import { expectGolden, yamlOf } from '../../../../harness/golden.ts';
import { oneEngine, rowsOf } from '../../../../harness/stores.ts';

const hourMs = 3_600_000;
const { summaries } = await rulesOf({ name: 'week', when: 'weekly_summary' });
const ruleIn = (zone: string): SummaryRule => {
  const [rule] = summaries;
  if (rule === undefined) throw new Error('there is a rule');
  return { ...rule, zone, channels: ['slack', 'email'] };
};

async function look(store: Store, rule: SummaryRule, at: string, processes = 2): Promise<void> {
  const needs = { store, nowMs: () => Date.parse(at), onOutboxChanged: () => {} };
  const jobs = Array.from({ length: processes }, () => summaryJob(needs, { rules: [rule], maxAgeMs: 24 * hourMs }));
  await Promise.all(jobs.map((job) => job.run(new AbortController().signal, () => true)));
}

const times = async (store: Store) =>
  (await rowsOf(store, 'alerts')).map(({ channel, fact, occurred_at: at }) => `${channel} ${fact} ${at}`).toSorted();

describe.each(oneEngine)('the weekly summary on $name', ({ fresh }) => {
  it('is due once on Monday at 8:00 in the zone of reports, also after a restart and where the clocks change', async () => {
    await using made = await fresh();
    const { store } = made;
    const berlin = ruleIn('Europe/Berlin');
    // Before it was loaded for the first time, nothing is reported.
    await look(store, berlin, '2026-03-16T12:00:00Z');
    expect(await times(store)).toEqual([]);
    for (const at of ['2026-03-22T23:30:00Z', '2026-03-23T06:59:59Z']) await look(store, berlin, at);
    expect(await times(store)).toEqual([]);
    for (const at of ['2026-03-23T07:00:00Z', '2026-03-23T07:01:00Z', '2026-03-24T06:00:00Z', '2026-03-28T07:00:00Z'])
      await look(store, berlin, at);
    // Summer time began on Sunday, and ends on Sunday, 25 October.
    await look(store, berlin, '2026-03-30T05:59:59Z');
    await look(store, berlin, '2026-03-30T06:00:00Z', 5);
    await look(store, berlin, '2026-10-26T06:59:59Z');
    await look(store, berlin, '2026-10-26T09:00:00Z', 1);
    // Nothing worked for longer than ALERT_MAX_AGE.
    await look(store, berlin, '2026-11-03T08:00:00Z');
    expect((await times(store)).filter((one) => one.startsWith('slack'))).toEqual([
      'slack week 2026-03-16 2026-03-23T07:00:00.000000Z',
      'slack week 2026-03-23 2026-03-30T06:00:00.000000Z',
      'slack week 2026-10-19 2026-10-26T07:00:00.000000Z',
    ]);
    expect(await times(store)).toHaveLength(6);
  });

  it('says how many meetings were held, missed and unknown, by host and by source, and nothing of a week without any', async () => {
    await using made = await fresh();
    const { store } = made;
    await ingestCountedBookings(store);
    const utc = ruleIn('UTC');
    await look(store, utc, '2025-01-05T00:00:00Z');
    for (const at of ['2025-01-13T08:00:00Z', '2025-01-20T08:00:00Z']) await look(store, utc, at);
    const nowMs = Date.parse('2025-01-20T08:00:00Z');
    await expectGolden(yamlOf(await messagesOf(store, utc, { channel: 'slack', nowMs })), 'golden/week.txt');
    const states = (await rowsOf(store, 'alerts')).filter(({ channel }) => channel === 'slack');
    expect(states.map(({ fact, state }) => [fact, state]).toSorted()).toEqual([
      ['week 2025-01-06', 'pending'],
      ['week 2025-01-13', 'retracted'],
    ]);
  });
});
