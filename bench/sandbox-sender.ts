// The sandbox in a process of its own, telling facts as fast as one subscriber takes them.
//   node bench/sandbox-sender.ts URL SECONDS
import { setTimeout as wait } from 'node:timers/promises';
import type { EventKind } from '#schemas/events.ts';
import type { JsonObject } from '#schemas/wire.ts';
import { openSandbox } from '#src/sandbox/sandbox.ts';
import { createSubscription } from '#src/sandbox/world/subscriptions.ts';
import { bodies, signingKey } from './deliveries.ts';

interface Told {
  readonly event: EventKind;
  readonly payload: JsonObject;
}

const [url = '', seconds = '1'] = process.argv.slice(2);
const warmMs = 1000;
/** Enough that the lanes never run dry between two looks. */
const mostPending = 2000;
const lookEveryMs = 5;

await using sandbox = await openSandbox({ contacts: 0, bookings: 0 });
const { service, courier, handles } = sandbox;
const { organization } = handles;
const story = bodies(500, 11)
  .map((body) => JSON.parse(body) as Told)
  .filter(({ event }) => event.startsWith('invitee') || event.startsWith('contact'));
createSubscription(service, {
  url,
  events: [...new Set(story.map(({ event }) => event))],
  organization,
  scope: 'organization',
  creator: handles.users.owner,
  signing_key: signingKey,
});

let next = 0;
async function tellFor(ms: number): Promise<void> {
  for (const endAt = performance.now() + ms; performance.now() < endAt; await wait(lookEveryMs))
    while (courier.pending < mostPending) {
      const { event, payload } = story[next++ % story.length] as Told;
      service.tell({ event, payload, at: service.clock.tick(), organization, users: [] });
    }
}

await tellFor(warmMs);
const before = courier.total;
const startedAt = performance.now();
await tellFor(Number(seconds) * 1000);
const delivered = courier.total - before;
const tookSeconds = (performance.now() - startedAt) / 1000;
const failed = courier.attempts.filter(({ status }) => status !== 202).length;
process.stdout.write(JSON.stringify({ perSecond: delivered / tookSeconds, failed }));
