// One key of a sink: its entries leave in order, and how a failure delays it alone or all keys.
import { describe, expect, it } from 'vitest';
import { createConcurrencyGate } from '#workers/out/push/concurrency-gate.ts';
import { createInFlight } from '#workers/out/push/in-flight.ts';
import { drain, type SendFailure, type KeyedSenderNeeds } from '#workers/out/push/keyed-sender.ts';
import { SendError } from '#workers/out/push/sink.ts';
import type { FeedEntry } from '#src/feed/entry.ts';
import { eventually } from '../../../harness/moments.ts';
import { feedEntryOf } from '../../../harness/mirror/feed-entries.ts';

interface Scene {
  readonly needs: KeyedSenderNeeds;
  readonly over: AbortController;
  readonly sent: number[][];
  readonly failed: SendFailure[];
  readonly counts: { arrived: number; recovered: number };
}

/** `answer` decides on each send; a send that it does not throw for has arrived. */
function openScene(answer: (entries: readonly FeedEntry[]) => void, more: Partial<KeyedSenderNeeds> = {}): Scene {
  const over = new AbortController();
  const sent: number[][] = [];
  const failed: SendFailure[] = [];
  const counts = { arrived: 0, recovered: 0 };
  const inFlight = createInFlight({ entries: 100, characters: 10_000 });
  for (const seq of [1, 2, 3]) inFlight.add('a', feedEntryOf(seq));
  const needs: KeyedSenderNeeds = {
    sink: {
      name: 'test',
      batch: 2,
      concurrency: 1,
      keyOf: () => 'a',
      async send(entries) {
        sent.push(entries.map(({ seq }) => seq));
        answer(entries);
      },
      [Symbol.asyncDispose]: async () => {},
    },
    gate: createConcurrencyGate(1, over.signal),
    inFlight,
    random: () => 0,
    silence: { attempts: 0 },
    over: over.signal,
    isHeld: () => true,
    onArrived: (count) => void (counts.arrived += count),
    onFailed: (failure) => void failed.push(failure),
    onRecovered: () => void (counts.recovered += 1),
    ...more,
  };
  return { needs, over, sent, failed, counts };
}

describe('the entries of one key', () => {
  it('are sent in order and in batches, until none is left', async () => {
    const { needs, sent, counts } = openScene(() => undefined);
    await drain(needs, 'a');
    expect([sent, counts.arrived, needs.inFlight.arrived(3)]).toEqual([[[1, 2], [3]], 3, 3]);
  });

  it('hold the gate for all keys when the sink does not answer, as long as it asks for', async () => {
    const { needs, over, failed } = openScene(() => {
      throw new SendError({ code: '503', requestedMs: 60_000, everywhere: true });
    });
    const draining = drain(needs, 'a');
    await eventually(() => failed).toHaveLength(1);
    expect([needs.gate.isHeld(), needs.silence.attempts]).toEqual([true, 1]);
    expect(failed[0]?.retryMs).toBeGreaterThanOrEqual(60_000);
    over.abort();
    await draining;
    expect(needs.inFlight.arrived(3)).toBe(0);
  });

  it('are not sent once another process may be sending', async () => {
    const { needs, sent } = openScene(() => undefined, { isHeld: () => false });
    await drain(needs, 'a');
    expect([sent, needs.inFlight.arrived(3)]).toEqual([[], 0]);
  });

  it('fail under the code of an error that is not from the sink', async () => {
    let tries = 0;
    const { needs, failed } = openScene(() => {
      if ((tries += 1) === 1) throw Object.assign(new Error('secret'), { code: 'ECONNRESET' });
    });
    await drain(needs, 'a');
    expect(failed.map(({ code }) => code)).toEqual(['ECONNRESET']);
  });
});
