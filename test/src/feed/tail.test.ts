import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openTail } from '#src/feed/tail.ts';

const everyMs = 50;

/** A log whose end the test moves. */
function openLog() {
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

  it('reads the store once per interval under a steady load, however often this process commits', async () => {
    const { log, tail } = openLog();
    const startMs = performance.now();
    const committing = (async () => {
      for (let count = 0; count < 100; count += 1) {
        await sleep(2);
        log.last += 1;
        tail.poke();
      }
    })();
    for (let at = 0; at < 100; at = log.last) await tail.beyond(at, never);
    await committing;
    expect(log.reads).toBeLessThanOrEqual((performance.now() - startMs) / everyMs + 2);
  });
});
