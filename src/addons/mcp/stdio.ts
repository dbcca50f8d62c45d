// Serves MCP over the standard input and output of this process, until the input ends.
import { finished } from 'node:stream/promises';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { createMcp, type McpNeeds } from './server.ts';

/** As of a request over HTTP. */
const maxMessageBytes = 1_048_576;

export async function serveOverStdio(needs: McpNeeds, signal: AbortSignal): Promise<void> {
  const serverFor = createMcp(needs);
  const connection = serveStdio(() => serverFor({ who: 'mcp command', address: '' }), {
    transport: new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize: maxMessageBytes }),
    maxSubscriptions: 0,
    onerror: needs.malformed,
  });
  // A file ends without being closed.
  await finished(process.stdin, { writable: false, signal }).catch(() => {});
  await connection.close();
}
