// Live activity at a chosen rate: people book, cancel, move and miss meetings, contacts and recaps are created, changed and deleted.
import { randomOf, type Random } from '#src/sandbox/random.ts';
import { pause } from '#src/sandbox/clock.ts';
import { HttpError } from '#src/http/http-error.ts';
import type { Service } from '#src/sandbox/world/service.ts';
import {
  bookMeeting,
  cancelBooking,
  changeContact,
  changeEventType,
  dropContact,
  dropRecap,
  fillForm,
  markMissed,
  rescheduleBooking,
  reviseRecap,
  unmarkMissed,
  writeRecap,
  type ActivityContext,
  type Activity,
} from './activities.ts';

const activities: readonly (readonly [weight: number, activity: Activity])[] = [
  [34, bookMeeting],
  [10, cancelBooking],
  [10, rescheduleBooking],
  [9, markMissed],
  [4, unmarkMissed],
  [16, changeContact],
  [2, dropContact],
  [6, fillForm],
  [7, writeRecap],
  [3, reviseRecap],
  [1, dropRecap],
  [1, changeEventType],
];
const totalWeight = activities.reduce((sum, [weight]) => sum + weight, 0);

export interface LiveActivityNeeds {
  readonly service: Service;
  /** The organization it happens in. */
  readonly organization: string;
  /** Receives an error of the sandbox itself; the next activity follows. */
  report(error: unknown): void;
}

/** Returns a function that runs one activity, chosen by the seed. It never throws. */
export function createLiveActivity({ service, organization, report }: LiveActivityNeeds): () => void {
  const random = randomOf(service.options.seed, 'live');
  const context: ActivityContext = { service: { ...service, random }, organization };
  return () => {
    try {
      choose(random)(context);
    } catch (error) {
      // The rules may refuse an activity, such as booking a full workshop.
      if (!(error instanceof HttpError)) report(error);
    }
  };
}

function choose(random: Random): Activity {
  let left = random.next() * totalWeight;
  return activities.find(([weight]) => (left -= weight) < 0)?.[1] ?? bookMeeting;
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
