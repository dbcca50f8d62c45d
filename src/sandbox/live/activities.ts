// The activities of the live sandbox: what can happen to bookings, contacts, forms, recaps and event types.
import type { InviteeResource } from '#schemas/resources/invitee.ts';
import type { MeetingRecapResource } from '#schemas/resources/meeting-recap.ts';
import type { Page, PageRequest } from '#src/http/pagination.ts';
import { dayMs, instantOf, minuteMs } from '#src/sandbox/clock.ts';
import {
  book,
  cancelInvitee,
  markNoShow,
  rescheduleInvitee,
  unmarkNoShow,
} from '#src/sandbox/world/bookings/bookings.ts';
import { deleteContact, updateContact } from '#src/sandbox/world/contacts/contacts.ts';
import { updateEventType } from '#src/sandbox/world/event-types.ts';
import { createRecap, deleteRecap, makeHighlights, updateRecap } from '#src/sandbox/world/recaps.ts';
import { submitForm } from '#src/sandbox/world/routing.ts';
import type { Service } from '#src/sandbox/world/service.ts';
import { eventTypesOf } from '#src/sandbox/world/state.ts';
import { answersTo, cancelReasons, pickVisitor, slotAfter } from '#src/sandbox/world/visitors.ts';

export interface ActivityContext {
  /** With random choices of its own. */
  readonly service: Service;
  readonly organization: string;
}

/** One thing that happens, or nothing when there is no record it could happen to. */
export type Activity = (context: ActivityContext) => void;

/** Whether the user who hosts or owns a record belongs to the organization. */
export function belongsHere({ service, organization }: ActivityContext, user: string | undefined): boolean {
  return user !== undefined && service.state.users.get(user)?.current_organization === organization;
}

/** One of the items; undefined when there is none. */
export function pickAny<Item>({ service }: ActivityContext, items: readonly Item[]): Item | undefined {
  return items.length === 0 ? undefined : service.random.pick(items);
}

const mostCandidates = 100;

/** One of the newest matching records. Only so many are looked at, however large the world is. */
export function pickNewest<Item>(
  context: ActivityContext,
  page: (request: PageRequest) => Page<Item>,
): Item | undefined {
  return pickAny(context, page({ count: mostCandidates, descending: true, backwards: false }).items);
}

const halfHourMs = 30 * minuteMs;

/** A third of them are for a meeting that has just begun, so that there is always one to miss. */
export const bookMeeting: Activity = (context) => {
  const { service, organization } = context;
  const { random, clock, state } = service;
  const offers = eventTypesOf(state, organization).filter(({ active }) => active);
  const eventType = pickAny(context, offers);
  if (eventType === undefined) return;
  const isImmediate = random.chance(0.35);
  const startMs = isImmediate
    ? Math.floor(clock.nowMs() / halfHourMs) * halfHourMs - random.int(0, 3) * halfHourMs
    : slotAfter(random, clock.nowMs());
  const form = [...state.routingForms.values()].find((form) => form.organization === organization);
  const submission = form && random.chance(0.2) ? submitForm(service, { form }).uri : undefined;
  book(service, {
    eventType,
    startTime: instantOf(startMs),
    ...pickVisitor(service, organization, 0.5),
    answers: answersTo(eventType, random),
    method: isImmediate ? 'instant_book' : null,
    ...(submission === undefined ? {} : { submission }),
  });
};

export const cancelBooking: Activity = (context) => {
  const invitee = pickInvitee(context, (one) => one.status === 'active' && !hasBegun(context, one));
  const { random } = context.service;
  if (invitee)
    cancelInvitee(context.service, invitee, {
      cancelerType: random.chance(0.25) ? 'host' : 'invitee',
      reason: random.pick(cancelReasons),
    });
};

export const rescheduleBooking: Activity = (context) => {
  const invitee = pickInvitee(context, (one) => one.status === 'active' && !hasBegun(context, one));
  const { random, clock } = context.service;
  if (invitee)
    rescheduleInvitee(context.service, invitee, { startTime: instantOf(slotAfter(random, clock.nowMs() + dayMs)) });
};

export const markMissed: Activity = (context) => {
  const invitee = pickInvitee(
    context,
    (one) => one.status === 'active' && one.no_show === null && hasBegun(context, one),
  );
  if (invitee) markNoShow(context.service, invitee);
};

export const unmarkMissed: Activity = (context) => {
  const invitee = pickInvitee(context, (one) => one.status === 'active' && one.no_show !== null);
  if (invitee) unmarkNoShow(context.service, invitee);
};

function pickInvitee(
  context: ActivityContext,
  fits: (invitee: InviteeResource) => boolean,
): InviteeResource | undefined {
  const { state } = context.service;
  const hostOf = ({ event }: InviteeResource): string | undefined =>
    state.scheduledEvents.get(event)?.event_memberships[0]?.user;
  return pickNewest(context, (request) =>
    state.invitees.page('created', request, (one) => fits(one) && belongsHere(context, hostOf(one))),
  );
}

function hasBegun({ service }: ActivityContext, { event }: InviteeResource): boolean {
  const start = service.state.scheduledEvents.get(event)?.start_time;
  return start !== undefined && start <= instantOf(service.clock.nowMs());
}

const titles = ['Director', 'Team Lead', 'Consultant', 'Head of Operations', null];
const cities = ['Lisbon', 'Nairobi', 'Osaka', 'Auckland'];

export const changeContact: Activity = ({ service, organization }) => {
  const { random, state } = service;
  const contact = state.contacts.get(organization)?.pick(random.next());
  if (contact === undefined) return;
  updateContact(
    service,
    contact,
    random.chance(0.5) ? { job_title: random.pick(titles) } : { city: random.pick(cities) },
  );
};

export const dropContact: Activity = ({ service, organization }) => {
  const contact = service.state.contacts.get(organization)?.pick(service.random.next());
  if (contact) deleteContact(service, contact);
};

export const fillForm: Activity = ({ service, organization }) => {
  const form = [...service.state.routingForms.values()].find((one) => one.organization === organization);
  if (form) submitForm(service, { form });
};

/** For a meeting that has begun and has no recap yet. */
export const writeRecap: Activity = (context) => {
  const { state, clock } = context.service;
  const now = instantOf(clock.nowMs());
  const meeting = pickNewest(context, (request) =>
    state.scheduledEvents.page('start', request, ({ uri, status, start_time, event_memberships }) => {
      if (status !== 'active' || start_time > now || state.recaps.of('event', uri).length > 0) return false;
      return belongsHere(context, event_memberships[0]?.user);
    }),
  );
  const host = meeting?.event_memberships[0]?.user;
  if (meeting && host !== undefined) createRecap(context.service, { user: host, event: meeting });
};

export const reviseRecap: Activity = (context) => {
  const recap = pickRecap(context);
  if (!recap) return;
  const { summary_md } = makeHighlights(context.service.random);
  updateRecap(context.service, recap, { summary_md: `${summary_md} (revised)` });
};

export const dropRecap: Activity = (context) => {
  const recap = pickRecap(context);
  if (recap) deleteRecap(context.service, recap);
};

export const changeEventType: Activity = (context) => {
  const { random, state } = context.service;
  const offer = pickAny(context, eventTypesOf(state, context.organization));
  const internal_note = `Checked by ${random.pick(['Ada', 'Olu', 'Rosa', 'Uma'])}`;
  if (offer) updateEventType(context.service, offer, { internal_note });
};

function pickRecap(context: ActivityContext): MeetingRecapResource | undefined {
  return pickNewest(context, (request) =>
    context.service.state.recaps.page('start', request, ({ user }) => belongsHere(context, user)),
  );
}
