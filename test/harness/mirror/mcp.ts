// A mirror whose MCP endpoint listens, and the official client connected to it.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { memoize } from '#src/base/memoize.ts';
import { createMcpEndpoint } from '#src/addons/mcp/server.ts';
import { listen } from './api-app.ts';
import { openReadApi } from './read-api.ts';
import type { storeEngines } from '../stores.ts';

export const mcpToken = 'a-token-that-opens-only-mcp';

/** The clock of limits moves by `tickMs` with every look at it; no rate is exceeded by default. */
export async function openMcp(
  engine: Pick<(typeof storeEngines)[number], 'fresh'>,
  { isRevealed = false, tickMs = 1_000, clock = Date.now } = {},
) {
  await using stack = new AsyncDisposableStack();
  let nowMs = Date.now();
  const reported: unknown[] = [];
  const malformed: unknown[] = [];
  const read = stack.use(
    await openReadApi(engine.fresh, {
      clock,
      admin: { clock: () => (nowMs += tickMs) },
      mcp: (api) => ({
        mcpToken,
        open: memoize(async () =>
          createMcpEndpoint({
            api,
            secret: 'the secret of a mirror',
            isRevealed,
            version: '1.2.3',
            clock: () => (nowMs += tickMs),
            report: (error) => void reported.push(error),
            malformed: () => void malformed.push('a message'),
          }),
        ),
      }),
    }),
  );
  const { url } = stack.use(await listen(read.admin));
  const clients: Client[] = [];
  stack.defer(async () => void (await Promise.all(clients.map((client) => client.close()))));
  const connect = async (mode: 'legacy' | 'auto' = 'auto') => {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
    await client.connect(
      new StreamableHTTPClientTransport(new URL('/mcp', url), {
        requestInit: { headers: { authorization: `Bearer ${mcpToken}` } },
      }),
    );
    clients.push(client);
    return client;
  };
  const client = await connect();
  const resources = stack.move();
  return {
    ...read,
    url,
    client,
    connect,
    reported,
    malformed,
    /** The text of an answer, and the data in it. */
    async call(name: string, args: Readonly<Record<string, unknown>> = {}) {
      const result = await client.callTool({ name, arguments: args });
      return { isError: result.isError === true, text: textIn(result.content), data: dataIn(textIn(result.content)) };
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

export function textIn(content: unknown): string {
  return Array.isArray(content) ? content.map((part: { readonly text?: string }) => part.text ?? '').join('') : '';
}

// oxlint-disable-next-line typescript/no-explicit-any
export const dataIn = (text: string): any => JSON.parse(text.split('\n')[2] ?? 'null');
