// Visitors: existing contacts or new people, who book, answer the questions of the event type, and cancel.
import type { EventTypeResource } from '#schemas/resources/event-type.ts';
import type { InviteeResource } from '#schemas/resources/invitee.ts';
import { idOf } from '#schemas/wire.ts';
import { beginningOfDay, dayMs, instantOf, minuteMs } from '#src/sandbox/clock.ts';
import { randomOf, type Random } from '#src/sandbox/random.ts';
import { book, cancelInvitee, type BookingPlan } from './bookings/bookings.ts';
import { pickContact } from './contacts/contacts.ts';
import { makePerson, makeTracking } from './fictional-people.ts';
import { given, type Service, type StoredEventType } from './service.ts';

export const halfHourMs = 30 * minuteMs;

export interface Visit {
  readonly organization: string;
  readonly eventType: StoredEventType;
  readonly startMs: number;
  /** The probability that a new person books instead of a contact; without a contact it is always a new person. */
  readonly strangers: number;
  readonly method?: InviteeResource['scheduling_method'];
  readonly submission?: string | undefined;
}

export function bookVisitor(service: Service, visit: Visit): InviteeResource {
  const { organization, eventType, startMs, strangers, method = null, submission } = visit;
  const { random } = service;
  const invitee = pickVisitor(service, organization, strangers);
  return book(service, {
    eventType,
    startTime: instantOf(startMs),
    ...invitee,
    location: typedLocation(service, eventType, invitee.invitee.email),
    answers: answersTo(eventType, random),
    method,
    ...given({ submission }),
  });
}

export interface Booker {
  readonly startTime: string;
  readonly email?: string | undefined;
  readonly name?: string | undefined;
}

/** Books for this person, or for a new one; `more` is where the booking came from. */
export function bookPerson(
  service: Service,
  eventType: StoredEventType,
  { startTime, email, name }: Booker,
  more: Pick<BookingPlan, 'tracking' | 'submission'> = {},
): InviteeResource {
  const { random } = service;
  const person = makePerson(random);
  const invitee = {
    email: email ?? person.email,
    name: name ?? `${person.firstName} ${person.lastName}`,
    timezone: person.residence.timezone ?? 'UTC',
  };
  return book(service, {
    eventType,
    startTime,
    invitee,
    location: typedLocation(service, eventType, invitee.email),
    answers: answersTo(eventType, random),
    method: null,
    ...more,
  });
}

const addresses = ['Café Central, by the window', 'Our office, 3rd floor', 'Main station, platform 4', 'The warehouse'];

/** What the invitee types where the event type asks for a place or a number to call. */
function typedLocation({ options }: Service, eventType: StoredEventType, email: string): BookingPlan['location'] {
  const kind = eventType.locations?.[0]?.kind;
  // Random choices of its own: they do not shift the choices that follow.
  const random = randomOf(options.seed, 'typed', idOf(eventType.uri), email);
  if (kind === 'ask_invitee') return { kind, location: random.pick(addresses) };
  if (kind === 'outbound_call') return { kind, location: makePerson(random).phone };
  return undefined;
}

function pickVisitor(
  service: Service,
  organization: string,
  strangers: number,
): Pick<BookingPlan, 'invitee' | 'tracking' | 'guests'> {
  const { random } = service;
  const contact = random.chance(strangers) ? undefined : pickContact(service, organization);
  const extras = {
    tracking: makeTracking(random),
    guests: random.chance(0.15) ? [`guest.${random.int(100, 999)}@example.test`] : [],
  };
  const email = contact?.emails.find(({ is_primary }) => is_primary)?.email;
  if (contact !== undefined && email !== undefined)
    return { invitee: { email, timezone: contact.timezone ?? 'UTC', name: contact.name ?? email }, ...extras };
  const { firstName, lastName, residence, phone, ...person } = makePerson(random);
  return {
    invitee: {
      email: person.email,
      timezone: residence.timezone ?? 'UTC',
      first_name: firstName,
      last_name: lastName,
      ...(random.chance(0.3) && { text_reminder_number: phone }),
    },
    ...extras,
  };
}

/** Answers every required question and some of the others. */
function answersTo(
  { custom_questions }: Pick<EventTypeResource, 'custom_questions'>,
  random: Random,
): InviteeResource['questions_and_answers'] {
  return custom_questions
    .filter(({ enabled, required }) => enabled && (required || random.chance(0.6)))
    .map(({ name, position, answer_choices }) => ({
      question: name,
      answer: random.pick(
        answer_choices.length > 0 ? answer_choices : ['Pricing', 'A migration', 'Reporting\nBilling'],
      ),
      position,
    }));
}

const cancelReasons = ['Something came up', 'We found another time', '', null] as const;

/** The invitee cancels, or sometimes the host. */
export function cancelVisit(service: Service, invitee: InviteeResource): InviteeResource {
  const { random } = service;
  return cancelInvitee(service, invitee, {
    cancelerType: random.chance(0.25) ? 'host' : 'invitee',
    reason: random.pick(cancelReasons),
  });
}

/** A half hour between tomorrow and two weeks from now. */
export function slotAfter(random: Random, fromMs: number): number {
  const day = beginningOfDay(fromMs) + random.int(1, 14) * dayMs;
  return day + random.int(16, 33) * halfHourMs;
}
