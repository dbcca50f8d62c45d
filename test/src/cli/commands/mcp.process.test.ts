// MCP against the started product, by the official client and by the command line of the inspector: over HTTP and as a command.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contactDelivery, contactUri } from '../../../harness/data/contact-deliveries.ts';
import { dataIn, textIn } from '../../../harness/mirror/mcp.ts';
import { openSender } from '../../../harness/mirror/sender.ts';
import { until } from '../../../harness/ports.ts';
import { openHome, type Home, type RunningProduct } from '../../../harness/product.ts';
import { ask } from '../../../oracle/deliveries.ts';

const root = join(import.meta.dirname, '../../../..');
const main = join(root, 'bin/slotstream.js');
const mcpToken = 'a-token-that-opens-only-mcp';
const email = 'canary.bird@gelbfeder.example.test';

let home: Home;
let product: RunningProduct;
let adminUrl: string;
beforeAll(async () => {
  home = await openHome({ MCP_TOKEN: mcpToken });
  product = await home.open('start');
  const sender = openSender({ url: product.webhook, key: home.signingKey });
  await sender.send([
    contactDelivery({ id: 'a', version: 1, more: { name: 'Canary', emails: [{ email, is_primary: true }] } }),
  ]);
  sender.close();
  await until(async () => (await ask(home.store, 'select 1 from contacts')).length === 1, 'the contact is a row');
  adminUrl = new URL((await product.admin('/')).url).origin;
});
afterAll(() => home[Symbol.asyncDispose]());

const actions = async () =>
  (await ask(home.store, 'select caller, operation, status from admin_actions order by at')).map(Object.values);

/** What the inspector prints of a call, as a person would run it. */
async function inspect(target: readonly string[], ...tool: readonly string[]) {
  const args = ['--cli', ...target, '--method', 'tools/call', '--tool-name', ...tool];
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(root, 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js'), ...args],
    { env: { ...home.settings, HOME: home.dataDir }, timeout: 60_000 },
  );
  const { content } = JSON.parse(stdout) as { readonly content: unknown };
  return dataIn(textIn(content));
}

describe('MCP over HTTP', () => {
  it('answers the inspector', async () => {
    const header = ['--header', `Authorization: Bearer ${mcpToken}`];
    const target = [`${adminUrl}/mcp`, ...header];
    expect(await inspect(target, 'find_contacts', '--tool-arg', `email=${email}`)).toMatchObject({
      answer: { contacts: [{ contact: contactUri('a'), person: expect.stringMatching(/^person-/) }] },
    });
    expect(await actions()).toContainEqual(['mcp token', 'find_contacts', 200]);
  });

  it('is closed to the admin token, and the API to its token', async () => {
    expect((await product.admin('/mcp')).status).toBe(401);
    expect((await product.admin('/api/status', { authorization: `Bearer ${mcpToken}` })).status).toBe(401);
  });
});

describe('the command mcp', () => {
  const environment = (more: Readonly<Record<string, string>> = {}) =>
    Object.fromEntries(
      Object.entries({ ...home.settings, ...more }).filter(([, value]) => value !== undefined),
    ) as Record<string, string>;
  async function connect(more: Readonly<Record<string, string>> = {}) {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    const [command, args] = [process.execPath, [main, 'mcp']];
    const transport = new StdioClientTransport({ command, args, env: environment(more), stderr: 'pipe' });
    let log = '';
    transport.stderr?.on('data', (chunk) => void (log += String(chunk)));
    await client.connect(transport);
    return { client, log: () => log, [Symbol.asyncDispose]: () => client.close() };
  }

  it('answers the official client, beside a running process, with people masked', async () => {
    await using connection = await connect();
    const { content } = await connection.client.callTool({ name: 'find_contacts', arguments: { email } });
    expect(textIn(content)).not.toMatch(/canar|gelbfeder/i);
    const overHttp = await inspect(
      [`${adminUrl}/mcp`, '--header', `Authorization: Bearer ${mcpToken}`],
      'find_contacts',
    );
    const [contact] = dataIn(textIn(content)).answer.contacts;
    expect(contact).toEqual(overHttp.answer.contacts[0]);
    expect(await actions()).toContainEqual(['mcp command', 'find_contacts', 200]);
    expect(connection.log()).toBe('');
  });

  it('shows people when they are revealed, and the processes that run', async () => {
    await using connection = await connect({ MCP_REVEAL: 'true' });
    const { content } = await connection.client.callTool({ name: 'find_contacts', arguments: { name: 'anar' } });
    expect(dataIn(textIn(content)).answer.contacts[0].person).toMatchObject({ name: 'Canary', email });
    const health = await connection.client.callTool({ name: 'mirror_health', arguments: {} });
    expect(textIn(health.content)).toContain('Running: start on');
  });

  it('answers the inspector', async () => {
    const target = [process.execPath, main, 'mcp', '-e', `DATA_DIR=${home.dataDir}`];
    const data = await inspect(target, 'why', '--tool-arg', `uri=${contactUri('a')}`);
    expect(data.answer).toMatchObject({ table: 'contacts', deliveries: [{ event: 'contact.updated' }] });
  });

  it('ends when its input ends, and fails where there is no mirror', async () => {
    const running = promisify(execFile)(process.execPath, [main, 'mcp'], { env: environment(), timeout: 60_000 });
    running.child.stdin?.end();
    expect(await running).toMatchObject({ stdout: '', stderr: '' });
    const none = await home.runProcess(['mcp'], { DATA_DIR: join(home.dataDir, 'none') });
    expect([none.code, none.out, none.err]).toEqual([2, '', expect.stringContaining('There is no mirror')]);
  });

  it('ends without a word where there is no input', async () => {
    const child = spawn(process.execPath, [main, 'mcp'], { env: home.settings, stdio: ['ignore', 'ignore', 'pipe'] });
    let printed = '';
    child.stderr.on('data', (chunk: Buffer) => (printed += String(chunk)));
    expect([await once(child, 'close'), printed]).toEqual([[0, null], '']);
  });
});
