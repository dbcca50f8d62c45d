// Checks the sinks of the feed: each can be reached, accepts our login, and has nothing that the log does not have. Nothing is sent.
import { z } from 'zod';
import { readStatus } from '#src/app/read-status.ts';
import { slotstream } from '#src/base/command.ts';
import { sinksFor } from '#src/app/sinks.ts';
import { positionOf } from '#workers/out/push/pump.ts';
import { sinkNeedsOf } from '#workers/out/push/sink-log.ts';
import { SendError, type SinkNeeds } from '#workers/out/push/sink.ts';
import type { Check } from './check.ts';

const name = 'feed';
const timeoutMs = 10_000;

/** What the running process reports of a sink that is not called here. */
const reported = z.looseObject({
  sinks: z.record(z.string(), z.object({ failing: z.number(), last_error: z.string().nullable() })).catch({}),
});

export const checkSinks: Check = async (needs, report) => {
  // Without the mirror, a sink can be reached or not.
  const store = await needs.mirror().catch(() => undefined);
  const needsOf = (sink: string): SinkNeeds =>
    store === undefined ? { eventSource: async () => '' } : sinkNeedsOf(store, positionOf(sink));
  for (const { name: sink, host, open } of sinksFor(needs.config.feed, Date.now)) {
    await using opened = await open(needsOf(sink));
    if (opened.check === undefined) {
      const { failing = 0, last_error: error = null } =
        reported.safeParse((await readStatus(needs)).status).data?.sinks[sink] ?? {};
      if (failing > 0) {
        const fix = 'Check that it runs, and its FEED_ settings. Entries wait in the log meanwhile.';
        report.problem(name, `${sink} at ${host} does not accept the feed (${error ?? 'Error'}).`, fix);
        continue;
      }
      report.ok(
        name,
        `pushed to ${host} (${sink}), which is not called here; ${slotstream} status shows whether it accepts entries.`,
      );
      continue;
    }
    try {
      await opened.check(AbortSignal.timeout(timeoutMs));
      report.ok(name, `pushed to ${sink} at ${host}, which can be reached.`);
    } catch (error) {
      const { code = 'Error', hint = 'check that it runs, and its FEED_ settings' } =
        error instanceof SendError ? error : {};
      report.problem(
        name,
        `${sink} at ${host} does not accept the feed (${code}).`,
        `${hint[0]?.toUpperCase()}${hint.slice(1)}. Entries wait in the log meanwhile.`,
      );
    }
  }
};
