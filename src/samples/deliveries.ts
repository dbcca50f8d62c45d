// One realistic delivery of any kind, made from a seed. The same seed and index speak of the same person and booking in
// every kind, so `invitee.canceled` cancels what `invitee.created` made.
import type { EventKind } from '#schemas/events.ts';
import { changeContact, contactRecord, makeContact } from './contact.ts';
import { eventTypeRecord } from './event-type.ts';
import { cancelBooking, inviteeRecord, makeBooking, markNoShow } from './invitee.ts';
import type { Booking } from './invitee.ts';
import { changeRecap, makeRecap, recapRecord } from './meeting-recap.ts';
import { makePerson } from './person.ts';
import { randomOf } from './random.ts';
import type { Random } from './random.ts';
import { submissionRecord } from './routing-form.ts';
import { dayMs, hourMs, wireTime } from './sample.ts';
import type { JsonRecord, SampleDelivery } from './sample.ts';
import { makeMeeting } from './scheduled-event.ts';
import { makeWorld } from './sample-organization.ts';
import type { Offer, World } from './sample-organization.ts';

export interface SampleOptions {
  readonly seed: number;
  readonly index: number;
  readonly now: Date;
}

interface Scene {
  readonly world: World;
  readonly offer: Offer;
  readonly nowMs: number;
  /** Choices for one purpose; the same in every kind of this seed and index. */
  readonly random: (purpose: string) => Random;
  readonly booking: (timing: { createdMs: number; startMs: number }) => Booking;
}

const payloads = {
  'invitee.created': (scene) => inviteeRecord(scene.world, upcoming(scene)),
  'invitee.canceled': (scene) => {
    const booking = upcoming(scene);
    cancelBooking(scene.random('cancel'), booking, scene.nowMs);
    return inviteeRecord(scene.world, booking);
  },
  'invitee_no_show.created': (scene) => {
    const booking = held(scene);
    markNoShow(scene.random('mark'), booking, scene.nowMs);
    return inviteeRecord(scene.world, booking);
  },
  'invitee_no_show.deleted': (scene) => inviteeRecord(scene.world, held(scene)),
  'meeting_recap.created': (scene) => recapRecord(recapOf(scene, scene.nowMs)),
  'meeting_recap.updated': (scene) => {
    const recap = recapOf(scene, scene.nowMs - hourMs);
    changeRecap(scene.random('change'), recap, scene.nowMs);
    return recapRecord(recap);
  },
  'meeting_recap.deleted': (scene) => ({ uri: recapOf(scene, scene.nowMs).uri, deleted_at: wireTime(scene.nowMs) }),
  'routing_form_submission.created': (scene) =>
    submissionRecord(scene.world, scene.random('form'), {
      person: personOf(scene),
      offer: scene.offer,
      atMs: scene.nowMs,
    }),
  'contact.created': (scene) => contactRecord(contactOf(scene, scene.nowMs)),
  'contact.updated': (scene) => {
    const card = contactOf(scene, scene.nowMs - dayMs);
    changeContact(scene.world, scene.random('change'), { card, atMs: scene.nowMs });
    return contactRecord(card);
  },
  'contact.deleted': (scene) => ({ uri: contactOf(scene, scene.nowMs).uri, deleted_at: wireTime(scene.nowMs) }),
  'event_type.created': ({ offer, nowMs }) => eventTypeRecord(offer, { createdMs: nowMs, updatedMs: nowMs }),
  'event_type.updated': ({ offer, nowMs }) => eventTypeRecord(offer, { createdMs: nowMs - dayMs, updatedMs: nowMs }),
  'event_type.deleted': ({ offer, nowMs }) =>
    eventTypeRecord(offer, { createdMs: nowMs - dayMs, updatedMs: nowMs, deletedMs: nowMs }),
} as const satisfies { readonly [Kind in EventKind]: (scene: Scene) => JsonRecord };

export function sampleDelivery(kind: EventKind, { seed, index, now }: SampleOptions): SampleDelivery {
  const world = makeWorld(seed);
  const random = (purpose: string): Random => randomOf(seed, index, purpose);
  const offer = random('offer').pick(world.offers);
  const invitee = makePerson(random('person'));
  const scene: Scene = {
    world,
    offer,
    nowMs: now.getTime(),
    random,
    booking: ({ createdMs, startMs }) => {
      const meeting = makeMeeting(random('meeting'), { offer, startMs, createdMs, invitee });
      return makeBooking(random('booking'), { person: invitee, meeting, createdMs });
    },
  };
  return {
    event: kind,
    created_at: wireTime(now.getTime()),
    created_by: offer.host.uri,
    payload: payloads[kind](scene),
  };
}

const personOf = (scene: Scene) => makePerson(scene.random('person'));
const upcoming = ({ booking, nowMs }: Scene) => booking({ createdMs: nowMs, startMs: nowMs + 2 * dayMs });
const held = ({ booking, nowMs }: Scene) => booking({ createdMs: nowMs - 3 * dayMs, startMs: nowMs - hourMs });
const recapOf = (scene: Scene, atMs: number) => makeRecap(scene.random('recap'), held(scene), atMs);
const contactOf = (scene: Scene, atMs: number) =>
  makeContact(scene.world, scene.random('contact'), { person: personOf(scene), atMs });
