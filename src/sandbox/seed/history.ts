// The history a sandbox starts with: bookings of the last two months and for the next weeks, some canceled, moved or missed, and
// recaps. It follows the same rules as everything later, on a clock that moves through the past. All of it happened before the day
// began, and every step makes its own random choices: the history is the same at whatever time the sandbox is opened.
import type { InviteeResource } from '#schemas/resources/invitee.ts';
import type { ScheduledEventResource } from '#schemas/resources/scheduled-event.ts';
import { HttpError } from '#src/http/http-error.ts';
import { beginningOfDay, dayMs, hourMs, instantOf, instantOfMicros, minuteMs, type Clock } from '#src/sandbox/clock.ts';
import { randomOf, type Random } from '#src/sandbox/random.ts';
import { markNoShow, rescheduleInvitee } from '#src/sandbox/world/bookings/bookings.ts';
import { seatsLeft } from '#src/sandbox/world/bookings/meetings.ts';
import { makePerson } from '#src/sandbox/world/fictional-people.ts';
import { createRecap, externalMeeting, presences } from '#src/sandbox/world/recaps.ts';
import { submitForm } from '#src/sandbox/world/routing.ts';
import { eventTypesOf, type Service } from '#src/sandbox/world/service.ts';
import { bookVisitor, cancelVisit, slotAfter } from '#src/sandbox/world/visitors.ts';
import type { Team } from './people.ts';

export type Progress = (done: number, all: number) => void;

const progressEveryMs = 1000;

/** Reports the progress of seeding a large world, once per second; a small one is seeded before the first report. */
export function createProgress(
  report: (line: string) => void,
  nowMs: () => number = () => performance.now(),
): Progress {
  let reportedMs = nowMs();
  return (done, all) => {
    const now = nowMs();
    if (now - reportedMs < progressEveryMs) return;
    reportedMs = now;
    report(`Seeding the world: ${Math.floor((done / all) * 100)} %`);
  };
}

const spanMs = 60 * dayMs;

interface Step {
  readonly atMs: number;
  take(): void;
}

/** The service at a past time, with the random choices of one step. */
type PastOf = (...step: readonly (string | number)[]) => Service;

export interface HistoryPlan {
  readonly organization: string;
  readonly bookings: number;
  readonly routed?: number;
  readonly progress?: Progress;
}

export function seedHistory(service: Service, plan: HistoryPlan): void {
  const { organization, bookings, routed = 0, progress } = plan;
  const todayMs = beginningOfDay(service.clock.nowMs());
  const clock = historyClock(service.clock);
  const pastOf: PastOf = (...step) => {
    const random = randomOf(service.options.seed, 'history', ...step);
    return { ...service, clock, random };
  };
  const offers = eventTypesOf(service.state, organization);
  const steps: Step[] = [];
  for (let number = 0; number < bookings; number += 1) {
    const atMs = todayMs - spanMs + Math.floor(((number + 1) * (spanMs - hourMs)) / bookings);
    const [booking, following] = [pastOf(number, 'booking'), pastOf(number, 'fate')];
    const startMs = slotAfter(booking.random, atMs);
    const { random: routes } = pastOf(number, 'route');
    const outcome = outcomeOf(following.random, { atMs, startMs, todayMs });
    let invitee: InviteeResource | undefined;
    const take = (): void => {
      const isFree = offers.filter((offer) => seatsLeft(service.state, offer, instantOf(startMs)) > 0);
      const picked = booking.random.pick(isFree);
      const submitted = routes.chance(routed) ? submitAnyForm(booking, organization) : undefined;
      // Who was led to another site or to a message books without the form.
      const offered = submitted && isFree.find(({ uri }) => uri === submitted.result.value);
      invitee = bookVisitor(booking, {
        organization,
        eventType: offered ?? picked,
        startMs,
        strangers: 0,
        submission: offered && submitted.uri,
      });
    };
    steps.push({ atMs, take });
    // About as many visitors leave after the form.
    if (routes.chance(routed))
      steps.push({ atMs: atMs - hourMs, take: () => submitAnyForm(pastOf(number, 'visitor'), organization) });
    if (outcome) steps.push({ atMs: outcome.atMs, take: () => void (invitee && outcome.apply(following, invitee)) });
  }
  steps.push(...submissionsOf(pastOf, organization, todayMs));
  for (const [done, { atMs, take }] of steps.toSorted((a, b) => a.atMs - b.atMs).entries()) {
    progress?.(done, steps.length);
    clock.moveTo(atMs);
    try {
      take();
    } catch (error) {
      // The rules may refuse a step, such as moving to a full workshop; the booking then stays as it was.
      if (!(error instanceof HttpError)) throw error;
    }
  }
}

function submitAnyForm(past: Service, organization: string) {
  const form = past.state.routingForms.values().find((one) => one.organization === organization);
  return form && submitForm(past, { form });
}

function submissionsOf(pastOf: PastOf, organization: string, todayMs: number): readonly Step[] {
  const { state } = pastOf('submissions');
  const forms = [...state.routingForms.values()].filter((form) => form.organization === organization);
  return forms.flatMap((form) =>
    form.routes.map(({ answer }, index) => ({
      atMs: todayMs - (index + 1) * 9 * dayMs,
      take: () => {
        const question = form.questions.at(-1)?.name ?? '';
        submitForm(pastOf('submission', form.name, index), { form, answers: { [question]: answer } });
      },
    })),
  );
}

interface BookingOutcome {
  readonly atMs: number;
  apply(past: Service, invitee: InviteeResource): unknown;
}

/** What happened to a booking before the beginning of the day. */
function outcomeOf(
  random: Random,
  { atMs, startMs, todayMs }: { atMs: number; startMs: number; todayMs: number },
): BookingOutcome | undefined {
  const draw = random.next();
  const beforeMs = Math.floor((atMs + Math.min(startMs, todayMs)) / 2);
  if (draw < 0.12) return { atMs: beforeMs, apply: cancelVisit };
  if (draw < 0.22) {
    const startTime = instantOf(slotAfter(random, startMs));
    return { atMs: beforeMs, apply: (past, invitee) => rescheduleInvitee(past, invitee, { startTime }) };
  }
  if (draw < 0.34 && startMs < todayMs - hourMs) return { atMs: startMs + 20 * minuteMs, apply: markNoShow };
  return undefined;
}

function historyClock(clock: Clock): Clock & { moveTo(ms: number): void } {
  let micros = 0;
  return {
    ...clock,
    nowMs: () => Math.floor(micros / 1000),
    tick: () => instantOfMicros((micros += 1)),
    moveTo: (ms) => void (micros = Math.max(micros, ms * 1000)),
  };
}

const mostRecaps = 20;
/** A recap is written this long after the meeting. */
const writingMs = 5 * minuteMs;
const afterMeeting = (end: string): string => instantOf(Date.parse(end) + writingMs);

/** Recaps of the latest meetings with an attendee, and one of a meeting that was not scheduled through the service. */
export function seedRecaps(service: Service, { organization, owner, users }: Team): void {
  const { state, clock, options } = service;
  // Random choices of their own: more meetings do not shift the choices that follow.
  const seeding = { ...service, random: randomOf(options.seed, 'recaps', organization.name) };
  const hosts = new Set(users.map(({ uri }) => uri));
  // As of the beginning of the day, so that they do not depend on the hour.
  const today = instantOf(beginningOfDay(clock.nowMs()));
  const wasHeld = ({ uri, status, end_time, event_memberships }: ScheduledEventResource): boolean =>
    hosts.has(event_memberships[0]?.user ?? '') &&
    status === 'active' &&
    afterMeeting(end_time) < today &&
    state.invitees.of('event', uri).some((invitee) => invitee.status === 'active' && invitee.no_show === null);
  const latest = { count: mostRecaps, descending: true, backwards: false };
  const written = new Map<string, number>();
  for (const event of state.scheduledEvents.page('start', latest, wasHeld).items) {
    const user = event.event_memberships[0]?.user ?? owner.uri;
    const count = written.get(user) ?? 0;
    written.set(user, count + 1);
    // Every user has recaps of each kind.
    const presence = presences[count % presences.length] ?? 'spoke';
    createRecap(seeding, { user, event, at: afterMeeting(event.end_time), presence });
  }
  const guest = makePerson(seeding.random);
  const startMs = Math.floor((clock.nowMs() - 3 * dayMs) / hourMs) * hourMs;
  const event = externalMeeting(owner, { name: `Lunch with ${guest.company}`, startMs, guest });
  createRecap(seeding, { user: owner.uri, event, notes: 'Met at the conference.', at: afterMeeting(event.end_time) });
}
