// Live activity at a chosen rate: people book, cancel, move and miss meetings, contacts and recaps are created, changed and deleted.
import type { InviteeResource } from '#schemas/resources/invitee.ts';
import type { MeetingRecapResource } from '#schemas/resources/meeting-recap.ts';
import { HttpError } from '#src/http/http-error.ts';
import type { Page, PageRequest } from '#src/http/pagination.ts';
import { markNoShow, meetingOf, rescheduleInvitee, unmarkNoShow } from '#src/sandbox/world/bookings/bookings.ts';
import type { ContactEntry } from '#src/sandbox/world/contacts/contact-entry.ts';
import { deleteContact, pickContact, updateContact } from '#src/sandbox/world/contacts/contacts.ts';
import { updateEventType } from '#src/sandbox/world/event-types.ts';
import { createRecap, deleteRecap, makeHighlights, updateRecap } from '#src/sandbox/world/recaps.ts';
import { submitForm } from '#src/sandbox/world/routing.ts';
import { eventTypesOf, type Service, type StoredForm } from '#src/sandbox/world/service.ts';
import { bookVisitor, cancelVisit, slotAfter } from '#src/sandbox/world/visitors.ts';
import { dayMs, instantOf, minuteMs, pause } from './clock.ts';
import { randomOf } from './random.ts';

interface Scene {
  /** With random choices of its own. */
  readonly service: Service;
  readonly organization: string;
}

/** One thing that happens, or nothing when there is no record it could happen to. */
type Activity = (scene: Scene) => unknown;

const titles = ['Director', 'Team Lead', 'Consultant', 'Head of Operations', null];
const cities = ['Lisbon', 'Nairobi', 'Osaka', 'Auckland'];

const activities: readonly (readonly [weight: number, activity: Activity])[] = [
  [34, bookMeeting],
  [10, on(upcomingInvitee, cancelVisit)],
  [
    10,
    on(upcomingInvitee, (service, invitee) => {
      const startMs = slotAfter(service.random, service.clock.nowMs() + dayMs);
      rescheduleInvitee(service, invitee, { startTime: instantOf(startMs) });
    }),
  ],
  [9, on((scene) => pickInvitee(scene, (one) => one.no_show === null && hasBegun(scene, one)), markNoShow)],
  [4, on((scene) => pickInvitee(scene, (one) => one.no_show !== null), unmarkNoShow)],
  [
    16,
    on(contactOf, (service, contact) => {
      const { random } = service;
      const change = random.chance(0.5) ? { job_title: random.pick(titles) } : { city: random.pick(cities) };
      updateContact(service, contact, change);
    }),
  ],
  [2, on(contactOf, deleteContact)],
  [6, on(formOf, (service, form) => submitForm(service, { form }))],
  [7, writeRecap],
  [
    3,
    on(pickRecap, (service, recap) => {
      const { summary_md } = makeHighlights(service.random);
      updateRecap(service, recap, { summary_md: `${summary_md} (revised)` });
    }),
  ],
  [1, on(pickRecap, deleteRecap)],
  [
    1,
    on(
      (scene) => pickAny(scene, eventTypesOf(scene.service.state, scene.organization)),
      (service, eventType) => {
        const internal_note = `Checked by ${service.random.pick(['Ada', 'Olu', 'Rosa', 'Uma'])}`;
        updateEventType(service, eventType, { internal_note });
      },
    ),
  ],
];
const totalWeight = activities.reduce((sum, [weight]) => sum + weight, 0);

/** The activity that does `act` to the record that `pick` finds. */
function on<Item>(pick: (scene: Scene) => Item | undefined, act: (service: Service, item: Item) => unknown): Activity {
  return (scene) => {
    const item = pick(scene);
    if (item !== undefined) act(scene.service, item);
  };
}

function pickAny<Item>({ service }: Scene, items: readonly Item[]): Item | undefined {
  return items.length === 0 ? undefined : service.random.pick(items);
}

const mostCandidates = 100;

/** One of the newest matching records. Only so many are looked at, however large the world is. */
function pickNewest<Item>(scene: Scene, page: (request: PageRequest) => Page<Item>): Item | undefined {
  return pickAny(scene, page({ count: mostCandidates, descending: true, backwards: false }).items);
}

/** Whether the user who hosts or owns a record belongs to the organization. */
const belongsHere = ({ service, organization }: Scene, user = ''): boolean =>
  service.state.users.get(user)?.current_organization === organization;

function pickInvitee(scene: Scene, fits: (invitee: InviteeResource) => boolean): InviteeResource | undefined {
  const isHere = (one: InviteeResource): boolean =>
    belongsHere(scene, meetingOf(scene.service, one).event_memberships[0]?.user);
  return pickNewest(scene, (request) =>
    scene.service.state.invitees.page('created', request, (one) => one.status === 'active' && fits(one) && isHere(one)),
  );
}

function upcomingInvitee(scene: Scene): InviteeResource | undefined {
  return pickInvitee(scene, (one) => !hasBegun(scene, one));
}

function hasBegun({ service }: Scene, invitee: InviteeResource): boolean {
  return meetingOf(service, invitee).start_time <= instantOf(service.clock.nowMs());
}

function contactOf({ service, organization }: Scene): ContactEntry | undefined {
  return pickContact(service, organization);
}

function formOf({ service, organization }: Scene): StoredForm | undefined {
  return service.state.routingForms.values().find((form) => form.organization === organization);
}

function pickRecap(scene: Scene): MeetingRecapResource | undefined {
  const { recaps } = scene.service.state;
  return pickNewest(scene, (request) => recaps.page('start', request, ({ user }) => belongsHere(scene, user)));
}

/** A third of them are for a meeting that begins within a minute, so that there is always one to miss. */
function bookMeeting(scene: Scene): void {
  const { service, organization } = scene;
  const { random, clock, state } = service;
  const offers = eventTypesOf(state, organization).filter(({ active }) => active);
  const picked = pickAny(scene, offers);
  if (picked === undefined) return;
  const isImmediate = random.chance(0.35);
  const startMs = isImmediate
    ? (Math.floor(clock.nowMs() / minuteMs) + 1) * minuteMs
    : slotAfter(random, clock.nowMs());
  const form = formOf(scene);
  const submitted = form && random.chance(0.2) ? submitForm(service, { form }) : undefined;
  // Who was led to another site or to a message books without the form.
  const routed = submitted && offers.find(({ uri }) => uri === submitted.result.value);
  const method = isImmediate ? 'instant_book' : null;
  const eventType = routed ?? picked;
  bookVisitor(service, {
    organization,
    eventType,
    startMs,
    strangers: 0.5,
    method,
    submission: routed && submitted.uri,
  });
}

/** For a meeting that has begun and has no recap yet. */
function writeRecap(scene: Scene): void {
  const { state, clock } = scene.service;
  const now = instantOf(clock.nowMs());
  const event = pickNewest(scene, (request) =>
    state.scheduledEvents.page('start', request, ({ uri, status, start_time, event_memberships }) => {
      if (status !== 'active' || start_time > now || state.recaps.of('event', uri).length > 0) return false;
      return belongsHere(scene, event_memberships[0]?.user);
    }),
  );
  const user = event?.event_memberships[0]?.user;
  if (event && user !== undefined) createRecap(scene.service, { user, event });
}

export interface LiveActivityNeeds extends Scene {
  /** Receives an error of the sandbox itself; the next activity follows. */
  report(error: unknown): void;
}

/** Returns a function that runs one activity, chosen by the seed. It never throws. */
export function createLiveActivity({ service, organization, report }: LiveActivityNeeds): () => void {
  const random = randomOf(service.options.seed, 'live');
  const scene: Scene = { service: { ...service, random }, organization };
  return () => {
    let left = random.next() * totalWeight;
    const [, activity] = activities.find(([weight]) => (left -= weight) < 0) ?? [0, bookMeeting];
    try {
      activity(scene);
    } catch (error) {
      // The rules may refuse an activity, such as booking a full workshop.
      if (!(error instanceof HttpError)) report(error);
    }
  };
}

/** Runs `rate` activities per second until `signal` aborts. Late ones are caught up on, so that the rate holds. */
export async function runLiveActivity(act: () => void, rate: number, signal: AbortSignal): Promise<void> {
  const startMs = performance.now();
  for (let taken = 0; !signal.aborted;) {
    const due = ((performance.now() - startMs) / 1000) * rate;
    for (; taken < due && !signal.aborted; taken += 1) act();
    await pause(Math.max(1, (taken * 1000) / rate - (performance.now() - startMs)), signal);
  }
}
