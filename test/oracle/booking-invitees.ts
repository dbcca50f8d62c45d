// The rows of `booking_invitees` computed the plain way: each invitee of a link walks back to where its journey begins.
import type { StoredRow } from '#src/store/rows.ts';
import { byUri, journeysOf, placesOf } from './journeys.ts';

const later = '2190-01-01T00:00:00.000000Z';

export function expectedBookingInvitees(invitees: readonly StoredRow[]): StoredRow[] {
  const linked = new Set<string>();
  for (const { uri, old_invitee: old, new_invitee: next } of invitees)
    for (const other of [old, next]) if (typeof other === 'string' && other !== '') linked.add(String(uri)).add(other);
  const mirrored = byUri(invitees);
  const places = placesOf(mirrored);
  // Chains are the same whatever the meetings are; an invitee without one would be none.
  const met = invitees.map((invitee) => ({ ...invitee, event_uri: 'any' }));
  const rows = journeysOf({ invitees: met, scheduled_events: [{ uri: 'any' }] }, later).flatMap(
    ({ root, members, moves }) => {
      const chain = { booking_uri: root, first_invitee: members.at(0)?.uri ?? root, count: members.length, moves };
      const own = members.map(({ uri: invitee_uri = null }, index) => ({
        ...chain,
        invitee_uri,
        position: index + 1,
        is_first: index === 0,
        is_last: index === members.length - 1,
        mirrored: true,
      }));
      const missing = [...places].filter(([uri, place]) => place.root === root && !mirrored.has(uri));
      const others = missing.map(([invitee_uri]) => ({
        ...chain,
        invitee_uri,
        position: null,
        is_first: false,
        is_last: false,
        mirrored: false,
      }));
      return [...own, ...others];
    },
  );
  return rows.filter(({ invitee_uri: uri }) => linked.has(String(uri)));
}
