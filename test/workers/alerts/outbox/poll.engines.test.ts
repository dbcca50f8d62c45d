// What is due, on its way into the queue: a large backlog, on a real store.
import { describe, expect, it } from 'vitest';
import { createLog } from '#src/observability/log.ts';
import type { SendJob } from '#src/queue/contract.ts';
import { markFailed } from '#src/store/alerts/send-results.ts';
import { addAlerts, readAlerts } from '#src/store/alerts/alert-rows.ts';
import type { Store } from '#src/store/contract.ts';
import type { Departing } from '#workers/alerts/outbox/plan.ts';
import { startDispatcher } from '#workers/alerts/outbox/poll.ts';
import { timeOf } from '#workers/alerts/outbox/apply.ts';
import { storeEngines } from '../../../harness/stores.ts';

const startMs = Date.parse('2026-03-04T12:00:00Z');
const rulesOf = (rule: Partial<Departing>) =>
  new Map([['many', { name: 'many', quiet: undefined, digestMs: undefined, ...rule }]]);

async function addMany(store: Store, count: number): Promise<void> {
  const at = timeOf(startMs);
  const alerts = Array.from({ length: count }, (_, n) => ({
    id: `a${n}`,
    rule: 'many',
    channel: 'webhook',
    subjectUri: `a${n}`,
    fact: 'so',
    occurredAt: at,
    dueAt: at,
  }));
  await store.transaction((unit) => addAlerts(unit, alerts, at));
}

function dispatching(store: Store, rules: ReadonlyMap<string, Departing>) {
  const handed = new Map<string, readonly string[]>();
  const clock = { nowMs: startMs + 1_000, transactions: 0, handed };
  const counted: Store = {
    ...store,
    transaction(work) {
      clock.transactions += 1;
      return store.transaction(work);
    },
  };
  const dispatcher = startDispatcher({
    store: counted,
    handover: {
      async hand(_channel: string, jobs: readonly SendJob[]) {
        for (const { id, data } of jobs) handed.set(id, data.alerts);
      },
    },
    rules,
    nowMs: () => clock.nowMs,
    log: createLog({ level: 'silent', pretty: false }),
    everyMs: 20,
  });
  return { clock, poke: () => dispatcher.poke(), [Symbol.asyncDispose]: () => dispatcher.close() };
}

const keyOf = (jobId: string): string => jobId.replace(/-\d+$/, '');
const sorted = (handed: ReadonlyMap<string, readonly string[]>) =>
  Object.fromEntries([...handed].map(([id, alerts]) => [keyOf(id), alerts.toSorted()]));

describe.each(storeEngines.filter(({ available }) => available))('many that are due on $name', ({ fresh }) => {
  it('leave as the same digests when they are tried again, however many are due', async () => {
    await using opened = await fresh();
    const { store } = opened;
    await addMany(store, 700);
    await using dispatched = dispatching(store, rulesOf({ digestMs: 1_000 }));
    const { clock } = dispatched;
    await expect.poll(() => [...clock.handed.values()].flat()).toHaveLength(700);
    const before = sorted(clock.handed);
    expect(Object.values(before).map(({ length }) => length)).toEqual(expect.arrayContaining([500, 200]));

    // The smaller one comes first, and would leave the other too few of what is read at once.
    for (const ids of Object.values(before)) {
      const tried = await readAlerts(store, ids);
      const nextAt = timeOf(clock.nowMs + ids.length * 10);
      const failure = { now: timeOf(clock.nowMs), error: '503', nextAt };
      await store.transaction((unit) => markFailed(unit, tried, failure));
    }
    clock.handed.clear();
    clock.nowMs += 6_000;
    await expect.poll(() => clock.handed.size).toBe(2);
    expect(sorted(clock.handed)).toEqual(before);
  });

  it('are put off till the end of quiet hours with few writes', async () => {
    await using opened = await fresh();
    const { store } = opened;
    await addMany(store, 1_200);
    const quiet = { from: '11:00', to: '13:00', timezone: 'UTC' };
    await using dispatched = dispatching(store, rulesOf({ quiet }));
    const waiting = async () =>
      (await store.db.selectFrom('alerts').select('next_at').execute()).filter(
        ({ next_at: at }) => store.engine.decode('time', at) === '2026-03-04T13:00:00.000000Z',
      );
    await expect.poll(waiting).toHaveLength(1_200);
    expect(dispatched.clock.transactions).toBeLessThanOrEqual(5);
  });
});
