// The sandbox in a process of its own. For every URL it receives, it emits facts as fast as that subscriber accepts them, and
// sends back how many deliveries it made.   fork('bench/sandbox-sender.ts')
import { setTimeout as wait } from 'node:timers/promises';
import type { EventKind } from '#schemas/events.ts';
import type { JsonObject } from '#schemas/wire.ts';
import { openSandbox } from '#src/sandbox/sandbox.ts';
import { createSubscription } from '#src/sandbox/world/subscriptions.ts';
import { bodies, signingKey } from './deliveries.ts';
import type { SendOrder, SendReport } from './processes.ts';

interface SampleFact {
  readonly event: EventKind;
  readonly payload: JsonObject;
}

/** Enough that the queue never runs empty between two checks. */
const mostPending = 2000;
const checkEveryMs = 5;

const { service, dispatcher, handles } = await openSandbox({ contacts: 0, bookings: 0 });
const { organization } = handles;
const samples = bodies(500, 11)
  .map((body) => JSON.parse(body) as SampleFact)
  .filter(({ event }) => event.startsWith('invitee') || event.startsWith('contact'));
const events = [...new Set(samples.map(({ event }) => event))];
let next = 0;

async function send({ url, seconds }: SendOrder): Promise<SendReport> {
  const creator = handles.users.owner;
  const request = { url, events, organization, scope: 'organization', creator, signing_key: signingKey } as const;
  const subscription = createSubscription(service, request);
  const [before, startedAt] = [dispatcher.total, performance.now()];
  for (const endAt = startedAt + seconds * 1000; performance.now() < endAt; await wait(checkEveryMs))
    while (dispatcher.pending < mostPending) {
      const { event, payload } = samples[next++ % samples.length] as SampleFact;
      service.emit({ event, payload, at: service.clock.tick(), organization, users: [] });
    }
  const perSecond = (dispatcher.total - before) / ((performance.now() - startedAt) / 1000);
  const failed = dispatcher.attempts.filter(({ status }) => status !== 202).length;
  service.state.subscriptions.delete(subscription.uri);
  await dispatcher.idle();
  return { perSecond, failed };
}

process.on('message', (order: SendOrder) => void send(order).then((report) => process.send?.(report)));
process.send?.('ready');
