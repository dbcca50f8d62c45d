// What a booking must respect beyond its form: the event type decides about time, place and answers. All complaints at once.
// Whether the time is free is not asked: who books through the API has looked at the available times, or means it (A21).
import type { BookingRequest, InviteeLocation } from '#schemas/booking.ts';
import { invalid } from '#src/http/http-error.ts';
import { instantOf } from '#src/sandbox/clock.ts';
import type { Clock } from '#src/sandbox/clock.ts';
import type { StoredEventType } from '#src/sandbox/world/state.ts';

interface Complaint {
  readonly message: string;
  readonly parameter: string;
}

const mostComplaints = 20;

export function demandBookable(clock: Clock, eventType: StoredEventType, request: BookingRequest): void {
  const complaints = [
    ...aboutTime(clock, eventType, request),
    ...aboutPlace(eventType, request),
    ...aboutAnswers(eventType, request),
  ];
  if (complaints.length > 0) throw invalid(...complaints.slice(0, mostComplaints));
}

function* aboutTime(clock: Clock, { active }: StoredEventType, { start_time }: BookingRequest): Iterable<Complaint> {
  if (!active) yield { message: 'the event type is not active', parameter: 'event_type' };
  if (start_time <= instantOf(clock.nowMs())) yield { message: 'expected a time to come', parameter: 'start_time' };
}

function* aboutPlace({ pooling_type, locations }: StoredEventType, { location }: BookingRequest): Iterable<Complaint> {
  if (location === undefined) return;
  const offered = locations?.filter(({ kind }) => kind === location.kind) ?? [];
  const message = 'does not match the location of the event type';
  if (pooling_type === 'round_robin')
    yield { message: 'must not be sent for a round robin event type', parameter: 'location' };
  else if (offered.length === 0) yield { message, parameter: 'location.kind' };
  else if (
    isChosenByHost(location) &&
    !offered.some((place) => (place.location ?? location.location) === location.location)
  )
    yield { message, parameter: 'location.location' };
}

/** Where the invitee says the place, as a number to be called at, whatever is configured is only a hint. */
function isChosenByHost(location: InviteeLocation): location is InviteeLocation & { kind: 'physical' | 'custom' } {
  return location.kind === 'physical' || location.kind === 'custom';
}

/** Questions are told apart by their exact text, case and spaces included. */
function* aboutAnswers(
  { custom_questions }: StoredEventType,
  { questions_and_answers = [] }: BookingRequest,
): Iterable<Complaint> {
  const asked = new Map(custom_questions.filter(({ enabled }) => enabled).map((question) => [question.name, question]));
  const answered = new Set<string>();
  for (const [index, { question, answer }] of questions_and_answers.entries()) {
    const parameter = `questions_and_answers.${index}`;
    if (!asked.has(question)) yield { message: 'the form has no such question', parameter: `${parameter}.question` };
    else if (answered.has(question)) yield { message: 'answered twice', parameter: `${parameter}.question` };
    else if (asked.get(question)?.required === true && answer.trim() === '')
      yield { message: 'an answer is required', parameter: `${parameter}.answer` };
    answered.add(question);
  }
  for (const { name, required, position } of asked.values())
    if (required && !answered.has(name))
      yield { message: `the required question at position ${position} is missing`, parameter: 'questions_and_answers' };
}
