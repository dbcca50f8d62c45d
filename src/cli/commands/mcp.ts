// `mcp`: answers an AI model over standard input and output, directly from the store.
import { finished } from 'node:stream/promises';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { createReadApi } from '#src/api/operations.ts';
import { mcpNeeds } from '#src/app/mcp.ts';
import { openMirror } from '#src/app/mirror.ts';
import { missingSettings } from '#src/config/missing-settings.ts';
import { openTail } from '#src/feed/tail.ts';
import { createMcp } from '#src/addons/mcp/server.ts';
import { lastSeq } from '#src/store/log/read.ts';
import { listProcesses } from '#src/store/processes.ts';
import { privacyScreen } from '#workers/privacy/screen.ts';
import { defineVerb } from '#src/cli/verb.ts';

/** As of a request over HTTP. */
const maxMessageBytes = 1_048_576;

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
    const tail = openTail({ lastSeq: () => lastSeq(store) });
    const stopping = context.stopping();
    const { secret, report, clock, ...rest } = await mcpNeeds({ config, log, store });
    const api = createReadApi({
      store,
      tail,
      screen: privacyScreen(config),
      clock,
      secret,
      report,
      installation: {
        processes: () => listProcesses(store, clock()),
        queueEngine: 'unknown',
        missingSettings: missingSettings(config),
        recentEveryMs: config.reconcileEveryMs,
        fullEveryMs: config.sweepEveryMs,
      },
    });
    const serverFor = createMcp({ ...rest, secret, report, clock, api });
    const connection = serveStdio(() => serverFor({ who: 'mcp command', address: '' }), {
      transport: new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize: maxMessageBytes }),
      maxSubscriptions: 0,
      onerror: rest.malformed,
    });
    // A file ends without being closed.
    await finished(process.stdin, { writable: false, signal: stopping }).catch(() => {});
    await connection.close();
    tail.close();
    return 0;
  },
});
