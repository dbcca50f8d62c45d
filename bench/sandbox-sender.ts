// The sandbox in a process of its own. For every address it is sent, it tells facts as fast as that subscriber takes them, and
// sends back how many deliveries it made.   fork('bench/sandbox-sender.ts')
import { setTimeout as wait } from 'node:timers/promises';
import type { EventKind } from '#schemas/events.ts';
import type { JsonObject } from '#schemas/wire.ts';
import { openSandbox } from '#src/sandbox/sandbox.ts';
import { createSubscription } from '#src/sandbox/world/subscriptions.ts';
import { bodies, signingKey } from './deliveries.ts';
import type { SendOrder, SendReport } from './processes.ts';

interface Told {
  readonly event: EventKind;
  readonly payload: JsonObject;
}

/** Enough that the lanes never run dry between two looks. */
const mostPending = 2000;
const lookEveryMs = 5;

const { service, dispatcher, handles } = await openSandbox({ contacts: 0, bookings: 0 });
const { organization } = handles;
const story = bodies(500, 11)
  .map((body) => JSON.parse(body) as Told)
  .filter(({ event }) => event.startsWith('invitee') || event.startsWith('contact'));
const events = [...new Set(story.map(({ event }) => event))];
let next = 0;

async function send({ url, seconds }: SendOrder): Promise<SendReport> {
  const creator = handles.users.owner;
  const request = { url, events, organization, scope: 'organization', creator, signing_key: signingKey } as const;
  const subscription = createSubscription(service, request);
  const [before, startedAt] = [dispatcher.total, performance.now()];
  for (const endAt = startedAt + seconds * 1000; performance.now() < endAt; await wait(lookEveryMs))
    while (dispatcher.pending < mostPending) {
      const { event, payload } = story[next++ % story.length] as Told;
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
