import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openTail } from '#src/feed/tail.ts';

/** A log whose end the test moves. */
function openLog(everyMs = 50) {
  const log = { last: 0, reads: 0 };
  const lastSeq = async () => {
    log.reads += 1;
    return log.last;
  };
  const tail = openTail({ lastSeq, everyMs });
  onTestFinished(() => tail.close());
  return { log, tail };
}

const never = new AbortController().signal;

describe('the tail of the log', () => {
  it('wakes a reader when this process commits, and when another one does', async () => {
    const { log, tail } = openLog();
    const woken = tail.beyond(0, never);
    log.last = 1;
    tail.poke();
    await woken;
    const wokenAgain = tail.beyond(1, never);
    log.last = 2;
    await wokenAgain;
  });

  it('reads the store once per interval, however often this process commits', async () => {
    const { log, tail } = openLog(60_000);
    void tail.beyond(0, never);
    for (let count = 0; count < 100; count += 1) {
      log.last += 1;
      tail.poke();
      await nextTurn();
    }
    expect(log.reads).toBe(1);
  });
});
