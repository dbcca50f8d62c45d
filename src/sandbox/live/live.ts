// A rhythm of its own: people book, cancel, move and miss meetings, contacts change and go, recaps appear, at a chosen speed.
import { randomOf } from '#src/sandbox/random.ts';
import type { Random } from '#src/sandbox/random.ts';
import { pause } from '#src/sandbox/clock.ts';
import { HttpError } from '#src/http/http-error.ts';
import type { Service } from '#src/sandbox/world/service.ts';
import { bookSomething, cancelSomething, forgiveSomeone, missSomething, moveSomething } from './booking-turns.ts';
import { changeSomeone, dropSomeone } from './contact-turns.ts';
import { dropRecap, fillForm, reviseOffer, reviseRecap, writeRecap } from './other-turns.ts';
import type { Stage, Turn } from './turn.ts';

const turns: readonly (readonly [weight: number, turn: Turn])[] = [
  [34, bookSomething],
  [10, cancelSomething],
  [10, moveSomething],
  [9, missSomething],
  [4, forgiveSomeone],
  [16, changeSomeone],
  [2, dropSomeone],
  [6, fillForm],
  [7, writeRecap],
  [3, reviseRecap],
  [1, dropRecap],
  [1, reviseOffer],
];
const totalWeight = turns.reduce((sum, [weight]) => sum + weight, 0);

export interface LiveActivityNeeds {
  readonly service: Service;
  /** Whose people they are. */
  readonly organization: string;
  /** A fault of the sandbox itself: one turn is lost, life goes on. */
  report(error: unknown): void;
}

/** Takes one turn after another; each is chosen by the seed. None ever throws. */
export function createLiveActivity({ service, organization, report }: LiveActivityNeeds): () => void {
  const random = randomOf(service.options.seed, 'live');
  const stage: Stage = { service: { ...service, random }, organization };
  return () => {
    try {
      choose(random)(stage);
    } catch (error) {
      // A workshop may be full by the time somebody comes: they go away, and life goes on.
      if (!(error instanceof HttpError)) report(error);
    }
  };
}

function choose(random: Random): Turn {
  let left = random.next() * totalWeight;
  return turns.find(([weight]) => (left -= weight) < 0)?.[1] ?? bookSomething;
}

/** `rate` turns a second, until `signal` aborts. Late turns are made up for, so that the rate holds. */
export async function runLiveActivity(act: () => void, rate: number, signal: AbortSignal): Promise<void> {
  const startMs = performance.now();
  for (let taken = 0; !signal.aborted;) {
    const due = ((performance.now() - startMs) / 1000) * rate;
    for (; taken < due && !signal.aborted; taken += 1) act();
    await pause(Math.max(1, (taken * 1000) / rate - (performance.now() - startMs)), signal);
  }
}
