// What happened before the sandbox was opened: bookings of the last two months and for the next weeks, some canceled, moved or
// missed. It goes through the same rules as everything later, on a clock that walks through the past. All of it had happened
// when the day began, and every step draws from a chain of its own: at whatever time it is opened, it is the same history.
import { randomOf } from '#src/sandbox/random.ts';
import type { Random } from '#src/sandbox/random.ts';
import type { InviteeResource } from '#schemas/resources/invitee.ts';
import { beginningOfDay, dayMs, hourMs, instantOf, instantOfMicros, minuteMs } from '#src/sandbox/clock.ts';
import type { Clock } from '#src/sandbox/clock.ts';
import { HttpError } from '#src/http/http-error.ts';
import { seatsLeft } from '#src/sandbox/world/bookings/meetings.ts';
import { book, cancelInvitee, rescheduleInvitee } from '#src/sandbox/world/bookings/bookings.ts';
import { markNoShow } from '#src/sandbox/world/bookings/bookings.ts';
import { submitForm } from '#src/sandbox/world/routing.ts';
import type { Service } from '#src/sandbox/world/service.ts';
import { eventTypesOf } from '#src/sandbox/world/state.ts';
import type { StoredEventType } from '#src/sandbox/world/state.ts';
import { answersTo, cancelReasons, slotAfter, pickVisitor } from '#src/sandbox/world/visitors.ts';
import type { Progress } from './progress.ts';

const spanMs = 60 * dayMs;

interface Step {
  readonly atMs: number;
  take(): void;
}

/** The service as it was, with the choices of one step. */
type PastOf = (...step: readonly (string | number)[]) => Service;

export interface HistoryPlan {
  readonly organization: string;
  readonly bookings: number;
  /** Told of every step that was taken. */
  readonly progress?: Progress;
}

export function seedHistory(service: Service, { organization, bookings, progress }: HistoryPlan): void {
  const todayMs = beginningOfDay(service.clock.nowMs());
  const walking = walkingClock(service.clock);
  const pastOf: PastOf = (...step) => ({
    ...service,
    clock: walking,
    random: randomOf(service.options.seed, 'history', ...step),
  });
  const offers = eventTypesOf(service.state, organization);
  const steps: Step[] = [];
  for (let number = 0; number < bookings; number += 1) {
    const atMs = todayMs - spanMs + Math.floor(((number + 1) * (spanMs - hourMs)) / bookings);
    const [booking, befalling] = [pastOf(number, 'booking'), pastOf(number, 'fate')];
    const startMs = slotAfter(booking.random, atMs);
    const fate = fateOf(befalling.random, { atMs, startMs, todayMs });
    let invitee: InviteeResource | undefined;
    steps.push({ atMs, take: () => void (invitee = bookSomeone(booking, { organization, startMs, offers })) });
    if (fate) steps.push({ atMs: fate.atMs, take: () => void (invitee && fate.befall(befalling, invitee)) });
  }
  steps.push(...submissionsOf(pastOf, organization, todayMs));
  for (const [done, { atMs, take }] of steps.toSorted((a, b) => a.atMs - b.atMs).entries()) {
    progress?.(done, steps.length);
    walking.moveTo(atMs);
    try {
      take();
    } catch (error) {
      // A workshop may be full when somebody wants to move there: they stay where they are.
      if (!(error instanceof HttpError)) throw error;
    }
  }
}

function bookSomeone(
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

/** One for every place the forms can lead to. */
function submissionsOf(pastOf: PastOf, organization: string, todayMs: number): readonly Step[] {
  const { state } = pastOf('submissions');
  const forms = [...state.routingForms.values()].filter((form) => form.organization === organization);
  return forms.flatMap((form) =>
    form.routes.map(({ answer }, place) => ({
      atMs: todayMs - (place + 1) * 9 * dayMs,
      take: () => {
        const question = form.questions.at(-1)?.name ?? '';
        submitForm(pastOf('submission', form.name, place), { form, answers: { [question]: answer } });
      },
    })),
  );
}

interface Fate {
  readonly atMs: number;
  befall(past: Service, invitee: InviteeResource): void;
}

/** What has become of a booking by the beginning of the day. */
function fateOf(
  random: Random,
  { atMs, startMs, todayMs }: { atMs: number; startMs: number; todayMs: number },
): Fate | undefined {
  const luck = random.next();
  const beforeMs = Math.floor((atMs + Math.min(startMs, todayMs)) / 2);
  if (luck < 0.12)
    return {
      atMs: beforeMs,
      befall: (past, invitee) =>
        cancelInvitee(past, invitee, {
          cancelerType: past.random.chance(0.3) ? 'host' : 'invitee',
          reason: past.random.pick(cancelReasons),
        }),
    };
  if (luck < 0.22) {
    const startTime = instantOf(slotAfter(random, startMs));
    return { atMs: beforeMs, befall: (past, invitee) => rescheduleInvitee(past, invitee, { startTime }) };
  }
  if (luck < 0.34 && startMs < todayMs - hourMs) return { atMs: startMs + 20 * minuteMs, befall: markNoShow };
  return undefined;
}

/** A clock that stands where it is put. */
function walkingClock(clock: Clock): Clock & { moveTo(ms: number): void } {
  let micros = 0;
  return {
    ...clock,
    nowMs: () => Math.floor(micros / 1000),
    tick: () => instantOfMicros((micros += 1)),
    moveTo: (ms) => void (micros = Math.max(micros, ms * 1000)),
  };
}
