// What a question to the mirror may take: a turn, of which there are a few at once, and some time. Who has waited in vain for a turn is
// refused, and can ask again later.
import { SlotstreamError } from '#src/base/errors.ts';

export interface TurnLimits {
  /** How many have a turn at once. */
  readonly most: number;
  /** How many wait for one. */
  readonly mostWaiting: number;
  /** How long each of them waits. */
  readonly waitMs: number;
}

export class Turns {
  readonly #limits: TurnLimits;
  readonly #waiting = new Set<PromiseWithResolvers<void>>();
  #taken = 0;
  #isClosed = false;

  constructor(limits: TurnLimits) {
    this.#limits = limits;
  }

  /** Resolves when the caller has a turn, with what ends it. */
  async take(): Promise<() => void> {
    const { most, mostWaiting, waitMs } = this.#limits;
    if (this.#isClosed) throw stopped();
    if (this.#taken < most) this.#taken += 1;
    else if (this.#waiting.size < mostWaiting) await this.#wait(waitMs);
    else throw allTaken();
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#passOn();
    };
  }

  async #wait(waitMs: number): Promise<void> {
    const turn = Promise.withResolvers<void>();
    this.#waiting.add(turn);
    const timer = setTimeout(() => turn.reject(allTaken()), waitMs);
    try {
      await turn.promise;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(turn);
    }
  }

  /** The turn goes to the one who has waited longest. */
  #passOn(): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#taken -= 1;
    else {
      this.#waiting.delete(next);
      next.resolve();
    }
  }

  /** No one gets a turn any more. */
  close(): void {
    this.#isClosed = true;
    for (const turn of this.#waiting) turn.reject(stopped());
  }
}

export const tooSlow = (mostMs: number): SlotstreamError =>
  new SlotstreamError('question_slow', `The question was stopped: one may take ${mostMs / 1_000} seconds.`, {
    hint: 'Narrow it: add a filter, such as a range of time, sort by one of the fast columns (GET /api/tables), or ask for fewer columns or groups.',
  });

const allTaken = (): SlotstreamError =>
  new SlotstreamError('questions_wait', 'Too many questions are being answered.', { hint: 'Ask again later.' });

const stopped = (): SlotstreamError =>
  new SlotstreamError('stopped', 'The process stops: it answers no more questions.');
