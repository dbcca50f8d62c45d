// Bookings that were missed this moment, each as one delivery.
import { bookings } from './bookings.ts';
import { randomOf } from './random.ts';
import { canaries } from './history.ts';
import { serviceUrl, type World } from './world.ts';

export function missedMeetings(seed: number): () => { readonly uri: string; readonly body: string } {
  let made = 0;
  const now = (): string => new Date().toISOString();
  const world: World = {
    random: randomOf(seed),
    canaries: canaries(seed),
    uri: (kind) => `${serviceUrl}/${kind}/missed-${(seed >>> 0).toString(36)}-${(made += 1)}`,
    now,
    later: (hours) => new Date(Date.now() + hours * 3_600_000).toISOString(),
    hot: undefined,
  };
  const { name, address } = world.canaries;
  const { book } = bookings(world, () => ({ name: `${name} Late`, email: `late.${address}@example.test` }));
  return () => {
    const [booked] = book({ name: `${name} Late`, email: `late.${address}${made}@example.test` }, {});
    const payload = { ...booked?.payload, no_show: { uri: world.uri('invitee_no_shows'), created_at: now() } };
    const envelope = { event: 'invitee_no_show.created', created_at: now(), created_by: `${serviceUrl}/users/u1` };
    return { uri: String(booked?.payload['uri']), body: JSON.stringify({ ...envelope, payload }) };
  };
}
