// The history a sandbox starts with: bookings of the last two months and for the next weeks, some canceled, moved or missed. It
// follows the same rules as everything later, on a clock that moves through the past. All of it happened before the day began,
// and every step makes its own random choices: the history is the same at whatever time the sandbox is opened.
import { randomOf, type Random } from '#src/sandbox/random.ts';
import type { InviteeResource } from '#schemas/resources/invitee.ts';
import { beginningOfDay, dayMs, hourMs, instantOf, instantOfMicros, minuteMs, type Clock } from '#src/sandbox/clock.ts';
import { HttpError } from '#src/http/http-error.ts';
import { seatsLeft } from '#src/sandbox/world/bookings/meetings.ts';
import { book, cancelInvitee, rescheduleInvitee, markNoShow } from '#src/sandbox/world/bookings/bookings.ts';
import { submitForm } from '#src/sandbox/world/routing.ts';
import type { Service } from '#src/sandbox/world/service.ts';
import { eventTypesOf, type StoredEventType } from '#src/sandbox/world/state.ts';
import { answersTo, cancelReasons, slotAfter, pickVisitor } from '#src/sandbox/world/visitors.ts';
import type { Progress } from './progress.ts';

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
  /** Called for every step. */
  readonly progress?: Progress;
}

export function seedHistory(service: Service, { organization, bookings, progress }: HistoryPlan): void {
  const todayMs = beginningOfDay(service.clock.nowMs());
  const pastClock = historyClock(service.clock);
  const pastOf: PastOf = (...step) => ({
    ...service,
    clock: pastClock,
    random: randomOf(service.options.seed, 'history', ...step),
  });
  const offers = eventTypesOf(service.state, organization);
  const steps: Step[] = [];
  for (let number = 0; number < bookings; number += 1) {
    const atMs = todayMs - spanMs + Math.floor(((number + 1) * (spanMs - hourMs)) / bookings);
    const [booking, following] = [pastOf(number, 'booking'), pastOf(number, 'fate')];
    const startMs = slotAfter(booking.random, atMs);
    const outcome = outcomeOf(following.random, { atMs, startMs, todayMs });
    let invitee: InviteeResource | undefined;
    steps.push({ atMs, take: () => void (invitee = bookVisitor(booking, { organization, startMs, offers })) });
    if (outcome) steps.push({ atMs: outcome.atMs, take: () => void (invitee && outcome.apply(following, invitee)) });
  }
  steps.push(...submissionsOf(pastOf, organization, todayMs));
  for (const [done, { atMs, take }] of steps.toSorted((a, b) => a.atMs - b.atMs).entries()) {
    progress?.(done, steps.length);
    pastClock.moveTo(atMs);
    try {
      take();
    } catch (error) {
      // The rules may refuse a step, such as moving to a full workshop; the booking then stays as it was.
      if (!(error instanceof HttpError)) throw error;
    }
  }
}

function bookVisitor(
  past: Service,
  { organization, startMs, offers }: { organization: string; startMs: number; offers: readonly StoredEventType[] },
): InviteeResource {
  const startTime = instantOf(startMs);
  const eventType = past.random.pick(offers.filter((offer) => seatsLeft(past.state, offer, startTime) > 0));
  return book(past, {
    eventType,
    startTime,
    ...pickVisitor(past, organization, 0),
    answers: answersTo(eventType, past.random),
    method: null,
  });
}

/** One submission for every route of the forms. */
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
  apply(past: Service, invitee: InviteeResource): void;
}

/** What happened to a booking before the beginning of the day. */
function outcomeOf(
  random: Random,
  { atMs, startMs, todayMs }: { atMs: number; startMs: number; todayMs: number },
): BookingOutcome | undefined {
  const draw = random.next();
  const beforeMs = Math.floor((atMs + Math.min(startMs, todayMs)) / 2);
  if (draw < 0.12)
    return {
      atMs: beforeMs,
      apply: (past, invitee) =>
        cancelInvitee(past, invitee, {
          cancelerType: past.random.chance(0.3) ? 'host' : 'invitee',
          reason: past.random.pick(cancelReasons),
        }),
    };
  if (draw < 0.22) {
    const startTime = instantOf(slotAfter(random, startMs));
    return { atMs: beforeMs, apply: (past, invitee) => rescheduleInvitee(past, invitee, { startTime }) };
  }
  if (draw < 0.34 && startMs < todayMs - hourMs) return { atMs: startMs + 20 * minuteMs, apply: markNoShow };
  return undefined;
}

/** A clock that is moved by hand. */
function historyClock(clock: Clock): Clock & { moveTo(ms: number): void } {
  let micros = 0;
  return {
    ...clock,
    nowMs: () => Math.floor(micros / 1000),
    tick: () => instantOfMicros((micros += 1)),
    moveTo: (ms) => void (micros = Math.max(micros, ms * 1000)),
  };
}
