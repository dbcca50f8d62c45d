// `mcp`: answers an AI model over standard input and output, directly from the store.
import { createReadApi } from '#src/api/operations.ts';
import { askReceivers } from '#src/app/heartbeat.ts';
import { installationOf } from '#src/app/installation.ts';
import { mcpNeeds } from '#src/app/mcp.ts';
import { openMirror, openReadingOf } from '#src/app/mirror.ts';
import { openTail } from '#src/feed/tail.ts';
import { lastSeq } from '#src/store/log/read.ts';
import { listProcesses } from '#src/store/processes.ts';
import { privacyScreen } from '#workers/fold/privacy/screen.ts';
import { defineVerb } from '#src/cli/verb.ts';

export const mcp = defineVerb({
  arguments: {},
  options: {},
  examples: ['claude mcp add slotstream -- /path/to/bin/slotstream mcp', 'slotstream mcp < /dev/null'],
  notes: [
    'A client starts this command and speaks the Model Context Protocol with it; docs/mcp.md says how to set one up.',
    'It needs no token. People are masked unless MCP_REVEAL=true. Every call is recorded in admin_actions.',
  ],
  async run(context) {
    const config = context.config();
    const log = context.log();
    await using store = await openMirror(config, log);
    await using reading = await openReadingOf({ config, log, store });
    const tail = openTail({ lastSeq: () => lastSeq(store) });
    const needs = await mcpNeeds({ config, log, store });
    const { secret, report } = needs;
    // Processes report with the time of the database.
    const aheadMs = await store.engine.clockAheadMs();
    const clock = () => Date.now() + aheadMs;
    const api = createReadApi({
      store,
      reading,
      tail,
      screen: privacyScreen(store.settings),
      clock,
      secret,
      report,
      installation: installationOf(config, {
        processes: async () => [...(await listProcesses(store, clock())), ...(await askReceivers(config))],
      }),
    });
    const { serveOverStdio } = await import('#src/addons/mcp/stdio.ts');
    await serveOverStdio({ ...needs, api }, context.stopping());
    tail.close();
    return 0;
  },
});
