// Checks the sinks of the feed: each can be reached and accepts our login. Nothing is sent.
import { slotstream } from '#src/base/command.ts';
import { sinksFor } from '#workers/sinks/sinks.ts';
import { SendError } from '#workers/sinks/sink.ts';
import type { Check } from './check.ts';

const name = 'feed';
const timeoutMs = 10_000;

export const checkSinks: Check = async ({ config: { feed } }, report) => {
  for (const { name: sink, host, open } of sinksFor(feed, Date.now)) {
    await using opened = await open({ lastSeq: async () => 0, eventSource: async () => '' });
    if (opened.check === undefined) {
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
