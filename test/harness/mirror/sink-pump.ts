// A sink being filled from a store, as the process that holds its lease does it; failures are tried again at once.
import { randomUUID } from 'node:crypto';
import { startSinks } from '#src/app/sink-pumps.ts';
import type { SinkSettings } from '#src/app/sinks.ts';
import { openTail } from '#src/feed/tail.ts';
import { createLog } from '#src/observability/log.ts';
import type { Store } from '#src/store/contract.ts';
import { lastSeq } from '#src/store/log/read.ts';
import { readPosition } from '#src/store/log/consumer-offsets.ts';
import type { SendFailure } from '#workers/out/push/keyed-sender.ts';
import { positionOf, pump, type PumpInput } from '#workers/out/push/pump.ts';
import { eventually, happened } from '../moments.ts';
import { until } from '../ports.ts';

export const contactUri = (n: number): string => `https://api.example.test/contacts/${n}`;

/** The delivery of a contact. */
export const contact = (n: number, name: string): string =>
  JSON.stringify({
    event: 'contact.updated',
    created_at: '2025-04-14T11:43:10Z',
    payload: { uri: contactUri(n), name },
  });

/** Up to a number, from 1. */
export const whole = (count: number): number[] => Array.from({ length: count }, (_, n) => n + 1);

const positionIn = (store: Store, sink: string) => () => readPosition(store, positionOf(sink));

/** Resolves once it has a position: what is written from then on is pushed. */
export async function startPump(store: Store, input: PumpInput) {
  const tail = openTail({ lastSeq: () => lastSeq(store), everyMs: 5 });
  const stopping = new AbortController();
  const failed: SendFailure[] = [];
  const position = positionIn(store, input.name);
  const running = pump(
    {
      store,
      tail,
      nowMs: Date.now,
      random: () => 0,
      isHeld: () => true,
      onArrived: happened,
      onRecovered: () => undefined,
      onFailed: (failure) => {
        failed.push(failure);
        happened();
      },
    },
    input,
    stopping.signal,
  );
  const stop = async (): Promise<void> => {
    stopping.abort();
    await running;
    tail.close();
  };
  await until(async () => (await position()) !== undefined, 'the sink has a position');
  return {
    failed,
    position,
    stop,
    /** Resolves when it ends by itself. */
    ended: running,
    /** Resolves when everything up to this entry has arrived. */
    reaches: async (seq: number) => await eventually(position).toBe(seq),
    /** Resolves with the first failure after those that are known. */
    async fails(known = 0) {
      await eventually(() => failed.length).toBeGreaterThan(known);
      return failed[known];
    },
    [Symbol.asyncDispose]: stop,
  };
}

const off = { streamUrl: undefined, streamKey: '', streamMaxLength: 0 };
const noPush = { pushUrl: undefined, pushSecret: undefined, pushAllowPrivate: false };

/** The sinks of these settings in a process of the store; `lines` gets what it logs. */
export function openSinks(store: Store, settings: Partial<SinkSettings>, lines: string[] = []) {
  const tail = openTail({ lastSeq: () => lastSeq(store), everyMs: 10 });
  const log = createLog({ level: 'info', pretty: false, destination: { write: (line) => void lines.push(line) } });
  const needs = { store, tail, log, holder: randomUUID(), nowMs: Date.now };
  const sinks = startSinks({ settings: { ...off, ...noPush, ...settings }, ...needs });
  return {
    ...sinks,
    /** Resolves when everything up to this entry has arrived; 0 is its first position in an empty log. */
    reaches: async (sink: string, seq: number) => await eventually(positionIn(store, sink)).toBe(seq),
    close: () => sinks.close().finally(() => tail.close()),
  };
}
