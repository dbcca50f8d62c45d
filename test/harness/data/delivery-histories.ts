// Random histories of facts of every kind: out of order, sent twice, sent again with a new time, in other bytes.
import fc, { type Arbitrary } from 'fast-check';
import {
  contact,
  contactShape,
  deleted,
  deletedEventType,
  eventType,
  invitee,
  recap,
  recapShape,
  submission,
  time,
  uris,
  type Payload,
} from './payloads.ts';
import { rendered } from './json-variants.ts';

export interface Fact {
  readonly event: string;
  readonly created_at: string;
  readonly created_by?: string;
  readonly payload: Payload;
  /** True when it is of a known kind and fits its schema, so that rows follow from it. */
  readonly sound: boolean;
}

/** A fact as we come to know it: sent, or (without a body) read from the API. */
export interface Observation {
  readonly fact: Fact;
  readonly body: string | null;
}

/** A fact as it is sent. Several deliveries may tell one fact. */
export interface Delivery extends Observation {
  readonly body: string;
}

const ways: readonly { kinds: readonly string[]; payload: Arbitrary<Payload>; weight: number; sound?: false }[] = [
  { kinds: ['contact.created', 'contact.updated'], payload: contactShape(contact), weight: 5 },
  { kinds: ['contact.deleted'], payload: contactShape(deleted(fc.constantFrom(...uris.contacts))), weight: 1 },
  {
    kinds: ['invitee.created', 'invitee.canceled', 'invitee_no_show.created', 'invitee_no_show.deleted'],
    payload: invitee,
    weight: 9,
  },
  {
    kinds: ['event_type.created', 'event_type.updated', 'event_type.deleted'],
    payload: fc.oneof(eventType, deletedEventType),
    weight: 2,
  },
  { kinds: ['event_type.deleted'], payload: deleted(fc.constantFrom(...uris.eventTypes)), weight: 1 },
  { kinds: ['meeting_recap.created', 'meeting_recap.updated'], payload: recapShape(recap), weight: 3 },
  { kinds: ['meeting_recap.deleted'], payload: recapShape(deleted(fc.constantFrom(...uris.recaps))), weight: 1 },
  { kinds: ['routing_form_submission.created'], payload: submission, weight: 2 },
  // A value that does not fit is set aside, and the rest counts.
  { kinds: ['contact.updated'], payload: contact.map((payload) => ({ ...payload, emails: 'none' })), weight: 1 },
  // Kept, never projected: an unknown kind, and a contact without its URI.
  { kinds: ['contact.merged'], payload: contact, weight: 1, sound: false },
  { kinds: ['contact.updated'], payload: fc.constant({ uri: 'none', name: 'x' }), weight: 1, sound: false },
];

const fact: Arbitrary<Fact> = fc.oneof(
  ...ways.map(({ kinds, payload, weight, sound = true }) => ({
    weight,
    arbitrary: fc.record({ event: fc.constantFrom(...kinds), created_at: time, payload, sound: fc.constant(sound) }),
  })),
);

/** One fact as the service sends it: for two subscriptions, in other bytes, and again with a new stamp. */
const deliveries: Arbitrary<Delivery[]> = fc
  .record({
    fact,
    stamps: fc.array(time, { maxLength: 1 }),
    senders: fc.array(fc.constantFrom(undefined, 'user-1', 'user-2'), { minLength: 1, maxLength: 2 }),
    seed: fc.nat(0xffff),
  })
  .map(({ fact: first, stamps, senders, seed }) =>
    [first, ...stamps.map((created_at) => ({ ...first, created_at }))].flatMap((sent, index) =>
      senders.map((created_by, sender) => ({
        fact: sent,
        body: bodyOf({ ...sent, ...(created_by !== undefined && { created_by }) }, seed + index * 7 + sender),
      })),
    ),
  );

const bodyOf = ({ sound: _, ...sent }: Fact, seed: number): string => rendered(sent, seed);

export function history(maxLength = 12): Arbitrary<Delivery[]> {
  return fc.array(deliveries, { minLength: 1, maxLength }).map((sent) => sent.flat());
}

/** Some order of all of these, with some of them repeated. */
export function reordered<Item>(items: readonly Item[]): Arbitrary<Item[]> {
  const everything = fc.shuffledSubarray([...items], { minLength: items.length, maxLength: items.length });
  const repeated = fc.record({ item: fc.constantFrom(...items), at: fc.nat(items.length) });
  return fc
    .tuple(everything, fc.array(repeated, { maxLength: 4 }))
    .map(([order, again]) => again.reduce((list, { item, at }) => list.toSpliced(at, 0, item), order));
}

/** Cuts a list into batches, somehow. */
export function cut<Item>(items: readonly Item[]): Arbitrary<Item[][]> {
  return fc.array(fc.integer({ min: 1, max: 6 }), { minLength: items.length, maxLength: items.length }).map((sizes) => {
    const rest = [...items];
    return sizes.map((size) => rest.splice(0, size)).filter((batch) => batch.length > 0);
  });
}
