// A sink being filled from a store, as the process that holds its lease does it; failures are tried again at once.
import { openTail } from '#src/feed/tail.ts';
import type { Store } from '#src/store/contract.ts';
import { lastSeq } from '#src/store/log/read.ts';
import { readPosition } from '#src/store/log/consumer-offsets.ts';
import type { SendFailure } from '#workers/sinks/keyed-sender.ts';
import { positionOf, pump, type PumpInput } from '#workers/sinks/pump.ts';

/** Resolves once it has a position: what is written from then on is pushed. */
export async function startPump(store: Store, input: PumpInput) {
  const tail = openTail({ lastSeq: () => lastSeq(store), everyMs: 5 });
  const stopping = new AbortController();
  const failed: SendFailure[] = [];
  const position = () => readPosition(store, positionOf(input.name));
  const running = pump(
    {
      store,
      tail,
      nowMs: Date.now,
      random: () => 0,
      isHeld: () => true,
      onArrived: () => undefined,
      onRecovered: () => undefined,
      onFailed: (failure) => void failed.push(failure),
    },
    input,
    stopping.signal,
  );
  const stop = async (): Promise<void> => {
    stopping.abort();
    await running;
    tail.close();
  };
  for (let known = await position(); known === undefined; known = await position())
    await new Promise((resolve) => setTimeout(resolve, 2));
  return { failed, position, stop, [Symbol.asyncDispose]: stop };
}
