// One realistic delivery of any event kind, made by a service in memory. The same seed and index describe the same person and
// booking in every kind: `invitee.canceled` cancels what `invitee.created` booked.
import type { EventTypeRequest } from '#schemas/event-type-request.ts';
import type { EventKind } from '#schemas/events.ts';
import type { InviteeResource } from '#schemas/resources/invitee.ts';
import type { JsonObject } from '#schemas/wire.ts';
import { createService, type Handles } from '#src/sandbox/seed/seed.ts';
import { markNoShow, meetingOf, unmarkNoShow } from '#src/sandbox/world/bookings/bookings.ts';
import { createContactCollection } from '#src/sandbox/world/contacts/contact-entry.ts';
import { createContact, definitionsInUse, deleteContact, updateContact } from '#src/sandbox/world/contacts/contacts.ts';
import { seededValues } from '#src/sandbox/world/contacts/seeded-contacts.ts';
import { createEventType, deleteEventType, updateEventType } from '#src/sandbox/world/event-types.ts';
import { makePerson } from '#src/sandbox/world/fictional-people.ts';
import { createRecap, deleteRecap, updateRecap } from '#src/sandbox/world/recaps.ts';
import { submitForm } from '#src/sandbox/world/routing.ts';
import { found, createState, eventTypesOf, type Fact, type Service, type State } from '#src/sandbox/world/service.ts';
import { bookVisitor, cancelVisit, halfHourMs } from '#src/sandbox/world/visitors.ts';
import { createClock, dayMs, hourMs } from './clock.ts';
import { randomOf } from './random.ts';

export interface SampleDelivery {
  readonly event: EventKind;
  readonly created_at: string;
  readonly created_by: string;
  readonly payload: JsonObject;
}

export interface SampleOptions {
  readonly index: number;
  readonly now: Date;
}

interface Scene {
  readonly service: Service;
  readonly handles: Handles;
  readonly nowMs: number;
  /** Does it with the clock at `agoMs` before now. */
  ago<Result>(agoMs: number, act: () => Result): Result;
}

/** Each scenario ends with the fact that is sampled. */
const scenarios: { readonly [Kind in EventKind]: (scene: Scene) => unknown } = {
  'invitee.created': bookUpcoming,
  'invitee.canceled': (scene) => cancelVisit(scene.service, bookUpcoming(scene)),
  'invitee_no_show.created': (scene) => markNoShow(scene.service, bookPast(scene)),
  'invitee_no_show.deleted': (scene) => unmarkNoShow(scene.service, markNoShow(scene.service, bookPast(scene))),
  'meeting_recap.created': (scene) => recap(scene, 0),
  'meeting_recap.updated': (scene) =>
    updateRecap(scene.service, recap(scene, hourMs), { summary_md: '## Summary\nRevised.', share_link: true }),
  'meeting_recap.deleted': (scene) => deleteRecap(scene.service, recap(scene, hourMs)),
  'routing_form_submission.created': ({ service }) => {
    for (const form of service.state.routingForms.values()) submitForm(service, { form });
  },
  'contact.created': (scene) => contact(scene, 0),
  'contact.updated': (scene) => {
    const job_title = scene.service.random.pick(['Director', 'Team Lead', 'Consultant']);
    updateContact(scene.service, contact(scene, dayMs), { job_title });
  },
  'contact.deleted': (scene) => deleteContact(scene.service, contact(scene, dayMs)),
  'event_type.created': (scene) => eventType(scene, 0),
  'event_type.updated': (scene) =>
    updateEventType(scene.service, eventType(scene, dayMs), { internal_note: 'Checked.' }),
  'event_type.deleted': (scene) => deleteEventType(scene.service, eventType(scene, dayMs)),
};

/** Makes the deliveries of one seed. Each is made in a copy of the seeded service, so none depends on those before it. */
export function createSampler(seed: number): (kind: EventKind, options: SampleOptions) => SampleDelivery {
  const facts: Fact[] = [];
  const { service, handles } = createService(
    {
      // `.test` can never be a real host.
      baseUrl: 'https://api.scheduling.test',
      seed,
      contacts: 0,
      bookings: 0,
      as: 'specification',
      eventTypes: true,
      rateLimits: false,
    },
    { realMs: Date.now, emit: (fact) => void facts.push(fact) },
  );
  return (kind, { index, now }) => {
    const nowMs = now.getTime();
    let realMs = nowMs;
    facts.length = 0;
    scenarios[kind]({
      service: {
        ...service,
        state: copyOf(service.state),
        clock: createClock(() => realMs),
        random: randomOf(seed, index, 'sample'),
      },
      handles,
      nowMs,
      ago: (agoMs, act) => {
        realMs = nowMs - agoMs;
        const result = act();
        realMs = nowMs;
        return result;
      },
    });
    const fact = facts.findLast(({ event }) => event === kind);
    if (fact === undefined) throw new Error(`the scenario of ${kind} does not emit it`);
    return { event: kind, created_at: fact.at, created_by: handles.users.owner, payload: fact.payload };
  };
}

/** The organization and what it offers, without anything that has happened. */
function copyOf({ organizations, users, memberships, definitions, eventTypes, routingForms }: State): State {
  const state = { ...createState(), organizations, users, memberships, definitions, routingForms };
  for (const eventType of eventTypes.values()) state.eventTypes.put(eventType);
  for (const organization of organizations.keys()) state.contacts.set(organization, createContactCollection());
  return state;
}

function bookUpcoming(scene: Scene): InviteeResource {
  return bookAt(scene, Math.ceil((scene.nowMs + 2 * dayMs) / halfHourMs) * halfHourMs);
}

/** A booking made three days ago, of a meeting that has just begun. */
function bookPast(scene: Scene): InviteeResource {
  const startMs = Math.floor((scene.nowMs - hourMs) / halfHourMs) * halfHourMs;
  return scene.ago(3 * dayMs, () => bookAt(scene, startMs));
}

function bookAt({ service, handles: { organization } }: Scene, startMs: number): InviteeResource {
  const eventType = service.random.pick(eventTypesOf(service.state, organization));
  return bookVisitor(service, { organization, eventType, startMs, strangers: 1 });
}

function recap(scene: Scene, agoMs: number) {
  const event = meetingOf(scene.service, bookPast(scene));
  const user = event.event_memberships[0]?.user ?? scene.handles.users.owner;
  return scene.ago(agoMs, () => createRecap(scene.service, { user, event }));
}

function contact({ service, handles, ago }: Scene, agoMs: number) {
  const { organization } = handles;
  const { name, email, phone, company, jobTitle, residence, id } = makePerson(service.random);
  const details = {
    name,
    emails: [{ email, is_primary: true }],
    phone_numbers: [{ phone_number: phone }],
    company,
    job_title: jobTitle,
    ...residence,
    linkedin: `https://network.example.test/in/${id.slice(0, 8)}`,
    values: seededValues(definitionsInUse(service, organization), service.random.int(0, 0xffff), 0),
  };
  return ago(agoMs, () =>
    createContact(service, { organization, owner: handles.users.owner, source: 'scheduling', details }),
  );
}

function eventType({ service, handles, ago }: Scene, agoMs: number) {
  const owner = found(service.state.users.get(handles.users.owner), 'user');
  const request: EventTypeRequest = {
    owner: owner.uri,
    name: service.random.pick(['Intro call', 'Product demo', 'Coaching session', 'Office visit']),
    duration: 30,
    kind: 'solo',
    pooling_type: null,
    locations: [{ kind: 'zoom_conference' }],
    description_plain: 'Thirty minutes with our team.',
  };
  return ago(agoMs, () => createEventType(service, { owner, hosts: [owner.uri], request }));
}
