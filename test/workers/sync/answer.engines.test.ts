// Answers against the sandbox, on both stores: in any order with marks of the service, with webhooks that come late, twice or in another
// order, and with processes that end between the call and the record.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { markNoShow, unmarkNoShow } from '#src/sandbox/world/bookings/bookings.ts';
import { answers, recordAnswer, type Answer, type AnswerNeeds } from '#workers/sync/answer.ts';
import { rebuild } from '#workers/sync/rebuild.ts';
import { replay } from '#workers/sync/replay.ts';
import { eraseFrom, ageEntries, pruneLog } from '../../harness/erasures.ts';
import { openTestReconcile } from '../../harness/mirror/test-reconcile.ts';
import { viewRows } from '../../harness/mirror/view-rows.ts';
import { propertyTimeoutMs, runs } from '../../harness/runs.ts';
import { openSubscriber } from '../../harness/sandbox/subscriber.ts';
import { openedOnce } from '../../harness/opened.ts';
import { ingestBodies, rowsOf, storeEngines, type TestStore } from '../../harness/stores.ts';

class Killed extends Error {}

async function openWorld(fresh: () => Promise<TestStore>) {
  await using stack = new AsyncDisposableStack();
  const mirrored = stack.use(await openTestReconcile(fresh, { contacts: 1, bookings: 12 }));
  await mirrored.run({ repair: true });
  const { sandbox, store } = mirrored;
  const { service } = sandbox;
  const events = ['invitee_no_show.created', 'invitee_no_show.deleted'] as const;
  const ear = stack.use(await openSubscriber(sandbox, { events: [...events], scope: 'organization' }));
  const { screen, sources } = await mirrored.needs();
  const now = () => new Date();
  /** `dies`: after its first change at the service. */
  const needsOf = (dies: boolean): AnswerNeeds => ({
    store,
    screen,
    now,
    openSources: async () => ({
      ...sources,
      client: {
        ...sources.client,
        async call(call, options) {
          const result = await sources.client.call(call, options);
          if (dies && call.method !== 'GET') throw new Killed();
          return result;
        },
      },
    }),
  });
  const ended = service.state.invitees
    .values()
    .filter(({ status, event }) => {
      const { end_time: end = '' } = service.state.scheduledEvents.get(event) ?? {};
      return status === 'active' && Date.parse(end) < Date.now();
    })
    .map(({ uri }) => uri)
    .toArray();
  let delivered = 0;
  const kept = stack.move();
  return {
    ...mirrored,
    screen,
    ended,
    markOf: (uri: string) => service.state.invitees.get(uri)?.no_show?.uri ?? null,
    change(uri: string) {
      const invitee = service.state.invitees.get(uri);
      if (invitee) (invitee.no_show === null ? markNoShow : unmarkNoShow)(service, invitee);
    },
    answer: (answer: Pick<Answer, 'invitee' | 'answer'>, dies = false) =>
      recordAnswer(needsOf(dies), { by: 'api', ...answer }),
    /** The webhooks that were not delivered yet. */
    async heard() {
      const all = await ear.heard();
      const late = all.slice(delivered).map((body) => JSON.stringify(body));
      delivered = all.length;
      return late;
    },
    row: async (uri: string) => (await rowsOf(store, 'invitees')).find((row) => row['uri'] === uri) ?? {},
    log: async (uri: string) =>
      (await rowsOf(store, 'event_log')).filter(
        (entry) => entry['source'] === 'operator' && entry['subject_uri'] === uri,
      ),
    async booking(uri: string) {
      return (await viewRows(store, 'bookings')).find((row) => row['last_invitee'] === uri) ?? {};
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

const steps = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.record({ answer: fc.constantFrom(...answers), dies: fc.nat(3).map((n) => n === 0) }) },
    { weight: 3, arbitrary: fc.constant('change' as const) },
    { weight: 3, arbitrary: fc.constant('deliver' as const) },
    { weight: 1, arbitrary: fc.constantFrom('rebuild' as const, 'replay' as const, 'prune' as const) },
  ),
  { minLength: 1, maxLength: 12 },
);
const history = fc.record({ steps, shuffle: fc.array(fc.nat(), { minLength: 8, maxLength: 8 }) });

for (const { name, available, fresh, count } of storeEngines.map((engine, at) => ({
  ...engine,
  count: [15, 4][at] ?? 4,
})))
  describe.runIf(available)(`an answer on ${name}`, () => {
    const world = openedOnce(() => openWorld(fresh));

    it(
      'is what the service has, whatever comes when and wherever a process ends',
      { timeout: propertyTimeoutMs },
      async () => {
        const [invitee = ''] = world.ended;
        const { store, screen } = world;
        let came = false;
        const expectState = async () => {
          const mark = world.markOf(invitee);
          expect(await world.row(invitee)).toMatchObject({
            no_show_uri: mark,
            attendance_entry: came ? expect.stringMatching(/^attendance.confirmed-/) : null,
          });
        };
        await fc.assert(
          fc.asyncProperty(history, async (world_) => {
            let waiting: string[] = [];
            const deliver = async (some: readonly string[]) => {
              // Some twice, and in another order.
              const order = [...some, ...some.slice(0, 1)].map((body, at) => ({
                body,
                key: world_.shuffle[at % 8] ?? 0,
              }));
              for (const { body } of order.toSorted((a, b) => a.key - b.key)) await ingestBodies(store, [body]);
            };
            for (const step of world_.steps) {
              if (step === 'change') world.change(invitee);
              else if (step === 'deliver') {
                waiting.push(...(await world.heard()));
                const now = waiting.filter((_, at) => (world_.shuffle[at % 8] ?? 0) % 2 === 0);
                waiting = waiting.filter((body) => !now.includes(body));
                await deliver(now);
              } else if (step === 'rebuild')
                expect(await rebuild({ store, screen })).toMatchObject({ rowsDiffered: 0 });
              else if (step === 'replay') await replay({ store, screen }, {});
              else if (step === 'prune') {
                await ageEntries(store, () => true);
                await pruneLog(store);
              } else {
                const died = await world.answer({ invitee, answer: step.answer }, step.dies).then(
                  () => false,
                  (error: unknown) => error instanceof Killed || Promise.reject(error),
                );
                if (died) continue;
                came = step.answer === 'came';
                // At once, with every webhook still to come.
                await expectState();
              }
            }
            await deliver([...waiting, ...(await world.heard())]);
            await expectState();
            expect(await rebuild({ store, screen })).toMatchObject({ rowsDiffered: 0 });
            await expectState();
          }),
          runs(count),
        );
      },
    );

    it('is one entry of the log however often it is given, and survives the erasure of the person, reconcile and a rebuild', async () => {
      const [, invitee = ''] = world.ended;
      const { store, screen } = world;
      for (let times = 0; times < 3; times += 1) await world.answer({ invitee, answer: 'came' });
      const [entry, ...others] = await world.log(invitee);
      expect([entry?.['event'], entry?.['outcome'], others]).toEqual(['attendance.confirmed', 'applied', []]);
      expect(await world.booking(invitee)).toMatchObject({ attendance_basis: entry?.['delivery_id'] });
      await eraseFrom(store, invitee, { now: '2030-01-01T00:00:00.000000Z' });
      await world.run({ repair: true });
      await rebuild({ store, screen });
      expect(await world.row(invitee)).toMatchObject({ email: null, attendance_confirmed_by: 'api' });
      expect(await world.booking(invitee)).toMatchObject({ attendance: 'confirmed', invitee_email: null });
    });
  });
