// Lets a sink of the feed go on at another entry, as a person has decided: also one that refuses what it is sent, because it has entries
// that the log does not have.
import { SlotstreamError } from '#src/base/errors.ts';
import type { Config } from '#src/config/load.ts';
import type { Store } from '#src/store/contract.ts';
import { lastSeq } from '#src/store/log/read.ts';
import { positionOf } from '#workers/out/push/pump.ts';
import { requestRestart } from '#workers/out/push/restart.ts';
import { sinkNeedsOf } from '#workers/out/push/sink-log.ts';
import { SendError } from '#workers/out/push/sink.ts';
import { sinksFor } from './sinks.ts';

const checkMs = 10_000;

export interface SinkRestart {
  /** The end of the log. */
  readonly last: number;
  /** The last id of the sink, where it has entries that the log does not have. */
  readonly aheadAt: string | undefined;
}

export async function restartSink(
  { store, config }: { readonly store: Store; readonly config: Pick<Config, 'feed'> },
  { name, after }: { readonly name: string; readonly after: number },
): Promise<SinkRestart> {
  const sinks = sinksFor(config.feed, Date.now);
  const chosen = sinks.find((sink) => sink.name === name);
  if (chosen === undefined)
    throw new SlotstreamError('usage', `The settings have no sink "${name}".`, {
      hint: sinks.length === 0 ? 'Set FEED_…' : `There is ${sinks.map((sink) => sink.name).join(', ')}.`,
    });
  const last = await lastSeq(store);
  if (after > last)
    throw new SlotstreamError('usage', `--restart-at ${after} is beyond the end of the log, which is ${last}.`, {
      hint: `--restart-at ${last} goes on with the next entry.`,
    });
  const position = positionOf(name);
  await using sink = await chosen.open(sinkNeedsOf(store, position));
  try {
    const settled = await sink.end?.();
    const isAhead = settled !== undefined && (await isRefused(() => sink.check?.(AbortSignal.timeout(checkMs))));
    await requestRestart(store, { position, after, settled });
    return { last, aheadAt: isAhead ? settled : undefined };
  } catch (error) {
    if (!(error instanceof SendError)) throw error;
    throw new SlotstreamError('refused', `${name} does not answer (${error.code}): nothing has changed.`, {
      hint: 'Check that it runs, and its FEED_ settings.',
    });
  }
}

async function isRefused(check: () => Promise<void> | undefined): Promise<boolean> {
  try {
    await check();
    return false;
  } catch (error) {
    if (error instanceof SendError && error.code === 'STREAM_AHEAD') return true;
    throw error;
  }
}
