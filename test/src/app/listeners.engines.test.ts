// The listeners of the processes of one machine: bound before anything else, and side by side without settings.
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { readdirSync } from 'node:fs';
import { describe, expect, inject, it } from 'vitest';
import { bindListeners } from '#src/app/listeners.ts';
import { loadConfig } from '#src/config/load.ts';
import { createLog } from '#src/observability/log.ts';
import { eventually } from '../../harness/moments.ts';
import { openHome, type RunningProduct } from '../../harness/product.ts';
import { startRedis } from '../../harness/redis.ts';
import { copyPostgres } from '../../harness/templates.ts';

async function hold(port: number): Promise<Server & AsyncDisposable> {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

it.each(['PORT', 'ADMIN_PORT'])('a %s in use is reported before a queue or a mirror is made', async (name) => {
  await using home = await openHome({}, { isNew: true });
  await using held = await hold(0);
  const { port } = held.address() as { port: number };
  const { code, err } = await home.run(['start'], { [name]: String(port) });
  expect([code, err]).toEqual([1, expect.stringContaining(`Cannot listen on 127.0.0.1:${port}: it is in use`)]);
  expect(readdirSync(home.dataDir)).toEqual([]);
});

describe.runIf(inject('redisUrl'))('receive and work on one machine', () => {
  it('run side by side with the default settings; the second says which admin port it has', async () => {
    await using redis = await startRedis();
    await using home = await openHome({ QUEUE_URL: redis.url, ADMIN_PORT: '' });
    const receiver = await home.open('receive');
    const worker = await home.open('work');
    const urls = [receiver, worker].map((process) => /metrics at (http[^"]+)/.exec(process.output())?.[1]);
    expect(new Set(urls).size).toBe(2);
    expect(worker.output()).toMatch(/port 8081 is in use: the admin listener of this process has port \d+/);
    const { out } = await home.run(['status', '--login']);
    expect(out, 'the process that has the tables').toContain(urls[1]);
    await worker.term();
    expect((await home.run(['status', '--login'])).out).toContain(urls[0]);
  });

  it('leave PORT to the receiver when the admin listener takes another port', async () => {
    await using held = await hold(0);
    const { port: adminPort } = held.address() as { port: number };
    const config = { ...loadConfig({}), adminPort, port: adminPort + 1 };
    const log = createLog({ level: 'silent', pretty: false });
    await using opened = new AsyncDisposableStack();
    const { admin } = await bindListeners(
      { config, log, opened, listens: { webhook: true, admin: true } },
      { receives: false },
    );
    expect(admin?.port).toBeGreaterThan(config.port);
  });
});

describe.runIf(inject('redisUrl') && inject('postgresUrl'))('a receiver', () => {
  it('sends a browser that asks for a page on to ADMIN_URL, or else to the worker beside it', async () => {
    await using redis = await startRedis();
    await using home = await openHome({ QUEUE_URL: redis.url, DATABASE_URL: await copyPostgres() });
    const worker = await home.open('work');
    const workerUrl = /metrics at (http[^"]+)/.exec(worker.output())?.[1];
    const pageOf = async (receiver: RunningProduct) =>
      (await receiver.admin('/bookings/1', { accept: 'text/html' })).url;
    const receiver = await home.open('receive');
    await eventually(() => pageOf(receiver)).toBe(`${workerUrl}/bookings/1`);
    await receiver.term();
    const adminUrl = workerUrl?.replace('127.0.0.1', 'localhost') ?? '';
    const configured = await home.open('receive', { settings: { ADMIN_URL: adminUrl } });
    expect(await pageOf(configured)).toBe(`${adminUrl}/bookings/1`);
  });
});
