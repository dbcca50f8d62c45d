// Every event kind there is, each with its contract. Adding a kind here makes the compiler ask for its projection.
import type { z } from 'zod';
import { contactEvents } from './contact.ts';
import { eventTypeEvents } from './event-type.ts';
import type { EventContract } from './event.ts';
import { inviteeEvents } from './invitee.ts';
import { meetingRecapEvents } from './meeting-recap.ts';
import { routingFormEvents } from './routing-form.ts';

/** The `events` enum of POST /webhook_subscriptions, in the specification's order. */
export const requestEventKinds = [
  'invitee.canceled',
  'invitee.created',
  'invitee_no_show.created',
  'invitee_no_show.deleted',
  'meeting_recap.created',
  'meeting_recap.updated',
  'meeting_recap.deleted',
  'routing_form_submission.created',
  'contact.created',
  'contact.updated',
  'contact.deleted',
] as const;

type RequestEventKind = (typeof requestEventKinds)[number];
export type EventKind = RequestEventKind | 'event_type.created' | 'event_type.updated' | 'event_type.deleted';

export const eventKinds = {
  ...inviteeEvents,
  ...meetingRecapEvents,
  ...routingFormEvents,
  ...contactEvents,
  ...eventTypeEvents,
} as const satisfies { readonly [Kind in EventKind]: EventContract };

export type PayloadOf<Kind extends EventKind> = z.output<(typeof eventKinds)[Kind]['schema']>;

/** Own keys only: a delivery may name its event `constructor`. */
export function isEventKind(name: string): name is EventKind {
  return Object.hasOwn(eventKinds, name);
}

export const allEventKinds: readonly EventKind[] = Object.keys(eventKinds).filter(isEventKind);

/** The loosest view of a kind's contract, for code that treats all kinds alike. */
export function contractOf(kind: EventKind): EventContract {
  return eventKinds[kind];
}

/** The event of an operator's erasure, which no service sends. */
export const erasureEvent = 'person.erased';
