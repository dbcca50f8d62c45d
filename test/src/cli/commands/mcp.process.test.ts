// MCP against the started product, by the official client: over HTTP and as a command.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { beforeAll, describe, expect, it } from 'vitest';
import { contactDelivery, contactUri } from '../../../harness/data/contact-deliveries.ts';
import { dataIn, textIn } from '../../../harness/mirror/mcp.ts';
import { openSender } from '../../../harness/mirror/sender.ts';
import { until } from '../../../harness/ports.ts';
import { openHome, type RunningProduct } from '../../../harness/product.ts';
import { productMain } from '../../../harness/running-verb.ts';
import { ask } from '../../../oracle/deliveries.ts';
import { openedOnce } from '../../../harness/opened.ts';

const mcpToken = 'a-token-that-opens-only-mcp';
const email = 'canary.bird@gelbfeder.example.test';
const byAddress = { table: 'contacts', filters: { primary_email: `eq.${email}` } };

const home = openedOnce(() => openHome({ MCP_TOKEN: mcpToken }));
let product: RunningProduct;
let adminUrl: string;
beforeAll(async () => {
  product = await home.open('start');
  const sender = openSender({ url: product.webhook, key: home.signingKey });
  await sender.send([
    contactDelivery({ id: 'a', version: 1, more: { name: 'Canary', emails: [{ email, is_primary: true }] } }),
  ]);
  sender.close();
  await until(async () => (await ask(home.store, 'select 1 from contacts')).length === 1, 'the contact is a row');
  adminUrl = new URL((await product.admin('/')).url).origin;
});

const actions = async () =>
  (await ask(home.store, 'select caller, operation, status from admin_actions order by at')).map(Object.values);

async function connectBy(transport: Transport) {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(transport);
  return {
    call: async (name: string, input = {}) => textIn((await client.callTool({ name, arguments: input })).content),
    [Symbol.asyncDispose]: () => client.close(),
  };
}
const connectOverHttp = () => {
  const headers = { authorization: `Bearer ${mcpToken}` };
  return connectBy(new StreamableHTTPClientTransport(new URL('/mcp', adminUrl), { requestInit: { headers } }));
};

describe('MCP over HTTP', () => {
  it('answers the official client', async () => {
    await using connection = await connectOverHttp();
    expect(dataIn(await connection.call('query_table', byAddress))).toMatchObject({
      answer: { rows: [{ uri: contactUri('a'), name: expect.stringMatching(/^person-/) }] },
    });
    expect(await actions()).toContainEqual(['mcp token', 'query_table', 200]);
  });
});

describe('the command mcp', () => {
  it('answers the official client, beside a running process, with people masked', async () => {
    const [command, args] = [process.execPath, [productMain, 'mcp']];
    const transport = new StdioClientTransport({ command, args, env: { ...home.settings }, stderr: 'pipe' });
    let log = '';
    transport.stderr?.on('data', (chunk) => void (log += String(chunk)));
    await using connection = await connectBy(transport);
    await using overHttp = await connectOverHttp();
    const text = await connection.call('query_table', byAddress);
    expect(text).not.toMatch(/canar|gelbfeder/i);
    expect(dataIn(text)).toEqual(dataIn(await overHttp.call('query_table', byAddress)));
    const { answer } = dataIn(await connection.call('why', { record: contactUri('a') }));
    expect(answer).toMatchObject({ table: 'contacts', deliveries: [{ event: 'contact.updated' }] });
    expect(await actions()).toContainEqual(['mcp command', 'query_table', 200]);
    expect(await connection.call('health')).toContain('Running: start on');
    expect(log).toBe('');
  });

  it('ends without a word where its input ends or there is none', async () => {
    const child = spawn(process.execPath, [productMain, 'mcp'], {
      env: home.settings,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let printed = '';
    child.stderr.on('data', (chunk: Buffer) => (printed += String(chunk)));
    expect([await once(child, 'close'), printed]).toEqual([[0, null], '']);
  });
});
