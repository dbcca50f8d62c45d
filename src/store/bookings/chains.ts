// Which invitees are one booking. Values in, values out.
//
//   A ──moved──▶ B ──moved──▶ C      A says `new_invitee` B, or B says `old_invitee` A: either is enough, and B itself
//                                    need not be mirrored. One booking, begun by A, ended by C.
//
// Every invitee has at most one before it: the one it names itself, else the first (by URI) that names it. So the links are trees;
// whatever is claimed besides is not followed. Links that run in a circle begin at their first URI. Thus any links whatever put every
// invitee into exactly one booking.

import type { TableRow } from '#src/store/schema/tables.ts';

export interface LinkedInvitee {
  readonly uri: string;
  readonly old_invitee: string | null;
  readonly new_invitee: string | null;
  readonly rescheduled: boolean | null;
  readonly created_at: string | null;
}

export interface Chain {
  /** The URI of its first invitee, mirrored or not. */
  readonly bookingUri: string;
  /** The mirrored invitees, in order. */
  readonly members: readonly string[];
  /** Those that a link names and that are not mirrored. */
  readonly missing: readonly string[];
  readonly moves: number;
}

interface Position {
  readonly root: string;
  readonly depth: number;
}

/** The chains of these invitees, which must include all that links connect with them. */
export function chainsOf(invitees: readonly LinkedInvitee[]): readonly Chain[] {
  const before = predecessors(invitees);
  const positions = new Map<string, Position>();
  for (const { uri, old_invitee: old, new_invitee: next } of invitees)
    for (const node of [uri, old, next]) if (node) findPosition(node, before, positions);
  const deepest = new Map<string, number>();
  for (const { root, depth } of positions.values()) deepest.set(root, Math.max(depth, deepest.get(root) ?? 0));
  const members = Map.groupBy(
    invitees.map((invitee) => ({ invitee, ...(positions.get(invitee.uri) ?? { root: invitee.uri, depth: 0 }) })),
    ({ root }) => root,
  );
  const mirrored = new Set(invitees.map(({ uri }) => uri));
  const missing = Map.groupBy(
    positions.keys().filter((uri) => !mirrored.has(uri)),
    (uri) => positions.get(uri)?.root,
  );
  return [...members].map(([bookingUri, found]) => {
    const ordered = found.toSorted((a, b) => a.depth - b.depth || byCreation(a.invitee, b.invitee));
    const last = ordered.at(-1);
    const end = deepest.get(bookingUri) ?? 0;
    const isMovedOn = last !== undefined && last.depth === end && wasMoved(last.invitee);
    return {
      bookingUri,
      members: ordered.map(({ invitee }) => invitee.uri),
      missing: missing.get(bookingUri) ?? [],
      moves: end + (isMovedOn ? 1 : 0),
    };
  });
}

export type BookingInvitee = TableRow<'booking_invitees'>;

/**
 * The rows of `booking_invitees`: of each of these invitees that has a link, and of each that one names. They must include all that links
 * connect with them.
 */
export function bookingInviteesOf(invitees: readonly LinkedInvitee[]): readonly BookingInvitee[] {
  const linked = new Set(invitees.filter(hasLink).flatMap((each) => [each.uri, each.old_invitee, each.new_invitee]));
  return chainsOf(invitees).flatMap(({ bookingUri, members, missing, moves }) => {
    const chain = { booking_uri: bookingUri, first_invitee: members[0] ?? bookingUri, count: members.length, moves };
    return [
      ...members.map((uri, index) => ({
        invitee_uri: uri,
        ...chain,
        position: index + 1,
        is_first: index === 0,
        is_last: index === members.length - 1,
        mirrored: true,
      })),
      ...missing.map((uri) => ({
        invitee_uri: uri,
        ...chain,
        position: null,
        is_first: false,
        is_last: false,
        mirrored: false,
      })),
    ].filter(({ invitee_uri: uri }) => linked.has(uri));
  });
}

const hasLink = ({ old_invitee: old, new_invitee: next }: LinkedInvitee): boolean => Boolean(old) || Boolean(next);

/** Whether it was moved to another time, of which more need not be known. */
const wasMoved = ({ rescheduled, new_invitee: next }: LinkedInvitee): boolean => rescheduled === true || Boolean(next);

function predecessors(invitees: readonly LinkedInvitee[]): ReadonlyMap<string, string> {
  const claimed = new Map<string, string>();
  for (const { uri, new_invitee: next } of invitees) {
    if (!next || next === uri) continue;
    const other = claimed.get(next);
    if (other === undefined || byBytes(uri, other) < 0) claimed.set(next, uri);
  }
  for (const { uri, old_invitee: old } of invitees) if (old && old !== uri) claimed.set(uri, old);
  return claimed;
}

/** Follows the links back to the root, or to an invitee whose position is known, and notes the positions of all on the way. */
function findPosition(node: string, before: ReadonlyMap<string, string>, positions: Map<string, Position>): void {
  const trail: string[] = [];
  const seen = new Map<string, number>();
  let at: string | undefined = node;
  while (at !== undefined && !positions.has(at) && !seen.has(at)) {
    seen.set(at, trail.length);
    trail.push(at);
    at = before.get(at);
  }
  const circle = at === undefined ? undefined : seen.get(at);
  if (circle !== undefined) numberCircle(trail.splice(circle), positions);
  for (const each of trail.toReversed()) {
    const parent = positions.get(before.get(each) ?? '');
    positions.set(each, parent === undefined ? { root: each, depth: 0 } : { ...parent, depth: parent.depth + 1 });
  }
}

/** `circle`: each is followed by the one before it. */
function numberCircle(circle: readonly string[], positions: Map<string, Position>): void {
  const [root = ''] = circle.toSorted(byBytes);
  const start = circle.indexOf(root);
  for (const [index, node] of circle.entries())
    positions.set(node, { root, depth: (start - index + circle.length) % circle.length });
}

/** One without a time comes last. */
function byCreation(a: LinkedInvitee, b: LinkedInvitee): number {
  if (a.created_at === b.created_at) return byBytes(a.uri, b.uri);
  if (a.created_at === null || b.created_at === null) return a.created_at === null ? 1 : -1;
  return a.created_at < b.created_at ? -1 : 1;
}

/** As the engines sort. */
const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
