// Alerts during a run: people who miss a meeting right now, and the recipient of the alerts about them.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { openServer } from '../harness/ports.ts';
import { bookings } from './load/bookings.ts';
import { randomOf } from './load/random.ts';
import type { Load } from './load/sender.ts';
import { canaries, serviceUrl, type World } from './load/world.ts';

export type AlertInbox = Awaited<ReturnType<typeof openAlertInbox>>;

export const webhookSecret = 'the-secret-of-the-alert-inbox';

/** Messages are under way for long enough to be interrupted by a fault. */
const answerAfterMs = 400;

export async function openAlertInbox(folder: string) {
  /** Of the alerts about an invitee: a repeated message has the same one. */
  const keys = new Map<string, Set<string>>();
  /** Messages that are no alert, such as a retraction. */
  const others: string[] = [];
  const server = await openServer(async (request, response) => {
    const { type, data } = (await json(request)) as { type: string; data: { subject_uris?: readonly string[] } };
    await sleep(answerAfterMs);
    // A message whose sender died meanwhile is not accepted.
    if (response.destroyed) return;
    if (type !== 'alert') others.push(type);
    else
      for (const uri of data.subject_uris ?? [])
        keys.set(uri, (keys.get(uri) ?? new Set()).add(String(request.headers['webhook-id'])));
    response.writeHead(204).end();
  });
  const rules = join(folder, 'alert-rules.json');
  await writeFile(rules, JSON.stringify({ rules: [{ name: 'missed', when: 'no_show', grace: '0' }] }));
  return {
    keys,
    others,
    settings: {
      ALERTS_FILE: rules,
      ALERT_WEBHOOK_URL: server.url,
      ALERT_WEBHOOK_SECRET: webhookSecret,
      ALERT_ALLOW_PRIVATE: 'true',
    },
    [Symbol.asyncDispose]: server[Symbol.asyncDispose],
  };
}

const perSecond = 3;

/** Offers marks of no-shows that happen at this moment: rules report nothing of the past. */
export function startMissedMeetings(seed: number, load: Load) {
  const later = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString();
  let made = 0;
  const world: World = {
    random: randomOf(seed),
    canaries: canaries(seed),
    uri: (kind) => `${serviceUrl}/${kind}/missed-${(seed >>> 0).toString(36)}-${(made += 1)}`,
    now: () => later(0),
    later,
    hot: undefined,
  };
  const { name, address } = world.canaries;
  const someone = () => ({ name: `${name} Late`, email: `late.${address}${made}@example.test` });
  const { book } = bookings(world, someone);
  const bodies = new Map<string, string>();
  const timer = setInterval(() => {
    const [booked] = book(someone());
    const payload = { ...booked?.payload, no_show: { uri: world.uri('invitee_no_shows'), created_at: later(0) } };
    const envelope = { event: 'invitee_no_show.created', created_at: later(0), created_by: `${serviceUrl}/users/u1` };
    const body = JSON.stringify({ ...envelope, payload });
    bodies.set(String(booked?.payload['uri']), body);
    load.offer(body);
  }, 1000 / perSecond);
  return {
    /** Invitees whose mark was acknowledged. */
    acknowledged: (): readonly string[] =>
      [...bodies].filter(([, body]) => load.acceptedBodies().has(body)).map(([uri]) => uri),
    isOffered: (uri: string): boolean => bodies.has(uri),
    stop: () => clearInterval(timer),
  };
}
