// Progress for the person watching: how much, how fast, for how long. Never a per cent, where the end is not known.
import type { VerbContext } from './verb.ts';

const everyMs = 2_000;

/** A function to call with the count so far; it speaks at most every two seconds. */
export function progressOf(context: Pick<VerbContext, 'say' | 'now'>, what: string): (done: number) => void {
  const startedAt = context.now().getTime();
  let saidAt = startedAt;
  return (done) => {
    const now = context.now().getTime();
    if (now - saidAt < everyMs) return;
    saidAt = now;
    const seconds = (now - startedAt) / 1000;
    context.say(`${done} ${what}, ${Math.round(done / seconds)}/s, ${Math.round(seconds)} s`);
  };
}
