// The rules of a booking beyond its schema: time, location and answers must fit the event type. All problems are reported at once.
// Whether the time is free is not checked: the API books any time it is given (A21).
import type { BookingRequest, InviteeLocation } from '#schemas/booking.ts';
import { invalid } from '#src/http/http-error.ts';
import { instantOf, type Clock } from '#src/sandbox/clock.ts';
import type { StoredEventType } from '#src/sandbox/world/state.ts';

interface Problem {
  readonly message: string;
  readonly parameter: string;
}

const mostProblems = 20;

export function demandBookable(clock: Clock, eventType: StoredEventType, request: BookingRequest): void {
  const problems = [
    ...aboutTime(clock, eventType, request),
    ...aboutLocation(eventType, request),
    ...aboutAnswers(eventType, request),
  ];
  if (problems.length > 0) throw invalid(...problems.slice(0, mostProblems));
}

function* aboutTime(clock: Clock, { active }: StoredEventType, { start_time }: BookingRequest): Iterable<Problem> {
  if (!active) yield { message: 'the event type is not active', parameter: 'event_type' };
  if (start_time <= instantOf(clock.nowMs()))
    yield { message: 'expected a time in the future', parameter: 'start_time' };
}

function* aboutLocation({ pooling_type, locations }: StoredEventType, { location }: BookingRequest): Iterable<Problem> {
  if (location === undefined) return;
  const offered = locations?.filter(({ kind }) => kind === location.kind) ?? [];
  const message = 'does not match the location of the event type';
  if (pooling_type === 'round_robin')
    yield { message: 'must not be sent for a round robin event type', parameter: 'location' };
  else if (offered.length === 0) yield { message, parameter: 'location.kind' };
  else if (
    isChosenByHost(location) &&
    !offered.some((configured) => (configured.location ?? location.location) === location.location)
  )
    yield { message, parameter: 'location.location' };
}

/** For other kinds the invitee gives the location, and the configured one is only a hint. */
function isChosenByHost(location: InviteeLocation): location is InviteeLocation & { kind: 'physical' | 'custom' } {
  return location.kind === 'physical' || location.kind === 'custom';
}

/** Questions are identified by their exact text, case and spaces included. */
function* aboutAnswers(
  { custom_questions }: StoredEventType,
  { questions_and_answers = [] }: BookingRequest,
): Iterable<Problem> {
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
