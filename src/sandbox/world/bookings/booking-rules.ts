// What a booking must satisfy beyond its schema, and when an event type can be booked. Time, location and answers must fit the
// event type; all problems are reported at once. Whether the time is free is not checked: the API books any time it is given (A21).
import type { BookingRequest, InviteeLocation } from '#schemas/booking.ts';
import { invalid } from '#src/http/http-error.ts';
import { instantOf, dayMs, hourMs, minuteMs, type Clock } from '#src/sandbox/clock.ts';
import type { State, StoredEventType } from '#src/sandbox/world/service.ts';
import type { AvailableTimeResource } from '#schemas/resources/event-type.ts';
import { gatheringAt, hostsNeeded, meetingsOf, seatsLeft } from './meetings.ts';

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

const stepMs = 30 * minuteMs;
const opensMs = 9 * hourMs;
const closesMs = 17 * hourMs;
/** The same as text, in UTC. */
export const workingHours = { from: '09:00', to: '17:00' } as const;

export interface Span {
  readonly fromMs: number;
  /** Exclusive. */
  readonly toMs: number;
}

export function availableTimes(state: State, eventType: StoredEventType, span: Span): readonly AvailableTimeResource[] {
  if (!eventType.active) return [];
  const found: AvailableTimeResource[] = [];
  const firstDayMs = Math.floor(span.fromMs / dayMs) * dayMs;
  for (let midnightMs = firstDayMs; midnightMs < span.toMs; midnightMs += dayMs)
    if (isWeekday(midnightMs)) found.push(...timesOfDay(state, eventType, { ...span, midnightMs }));
  return found;
}

const isWeekday = (ms: number): boolean => ![0, 6].includes(new Date(ms).getUTCDay());

function* timesOfDay(
  state: State,
  eventType: StoredEventType,
  { fromMs, toMs, midnightMs }: Span & { readonly midnightMs: number },
): Iterable<AvailableTimeResource> {
  const lengthMs = eventType.duration * minuteMs;
  const calendars = eventType.hosts.map((host) => busySpans(state, host, midnightMs));
  const lastMs = midnightMs + closesMs - lengthMs;
  for (let startMs = midnightMs + opensMs; startMs <= lastMs && startMs < toMs; startMs += stepMs) {
    if (startMs < fromMs) continue;
    const start_time = instantOf(startMs);
    const slot = { fromMs: startMs, toMs: startMs + lengthMs };
    const remaining = seatsLeft(state, eventType, start_time);
    const free = calendars.filter((busy) => !busy.some((span) => overlap(span, slot))).length;
    if (remaining > 0 && (free >= hostsNeeded(eventType) || gatheringAt(state, eventType, start_time) !== undefined))
      yield {
        status: 'available',
        start_time,
        invitees_remaining: remaining,
        scheduling_url: `${eventType.scheduling_url}/${start_time}`,
      };
  }
}

/** The busy times of a host on a day. Meetings of the evening before may extend into it. */
function busySpans(state: State, host: string, midnightMs: number): readonly Span[] {
  return [midnightMs - dayMs, midnightMs]
    .flatMap((ms) => meetingsOf(state, host, instantOf(ms)))
    .map(({ start_time, end_time }) => ({ fromMs: Date.parse(start_time), toMs: Date.parse(end_time) }));
}

const overlap = (a: Span, b: Span): boolean => a.fromMs < b.toMs && b.fromMs < a.toMs;
