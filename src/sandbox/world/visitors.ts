// Visitors who book: existing contacts or new people, with answers to the questions of the event type.
import type { Random } from '#src/sandbox/random.ts';
import type { EventTypeResource } from '#schemas/resources/event-type.ts';
import type { InviteeResource, TrackingResource } from '#schemas/resources/invitee.ts';
import { beginningOfDay, dayMs, minuteMs } from '#src/sandbox/clock.ts';
import type { Service } from './service.ts';
import { makePerson, makeTracking } from './fictional-people.ts';

interface Visitor {
  readonly invitee: {
    readonly email: string;
    readonly timezone: string;
    readonly first_name?: string;
    readonly last_name?: string;
    readonly name?: string;
    readonly text_reminder_number?: string;
  };
  readonly tracking: TrackingResource;
  readonly guests: readonly string[];
}

/** A contact; with the probability `strangers`, and when there is no contact, a new person. */
export function pickVisitor(service: Service, organization: string, strangers: number): Visitor {
  const { random, state } = service;
  const known = random.chance(strangers) ? undefined : state.contacts.get(organization)?.pick(random.next());
  const extras = {
    tracking: makeTracking(random),
    guests: random.chance(0.15) ? [`guest.${random.int(100, 999)}@example.test`] : [],
  };
  const email = known?.emails.find(({ is_primary }) => is_primary)?.email;
  if (known !== undefined && email !== undefined)
    return { invitee: { email, timezone: known.timezone ?? 'UTC', name: known.name ?? email }, ...extras };
  const { firstName, lastName, residence, phone, ...person } = makePerson(random);
  return {
    invitee: {
      email: person.email,
      timezone: residence.timezone ?? 'UTC',
      first_name: firstName,
      last_name: lastName,
      ...(random.chance(0.3) ? { text_reminder_number: phone } : {}),
    },
    ...extras,
  };
}

/** Answers every required question and some of the others. */
export function answersTo(
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

/** A half hour between tomorrow and two weeks from now. */
export function slotAfter(random: Random, fromMs: number): number {
  const day = beginningOfDay(fromMs) + random.int(1, 14) * dayMs;
  return day + random.int(16, 33) * 30 * minuteMs;
}

export const cancelReasons = ['Something came up', 'We found another time', '', null] as const;
