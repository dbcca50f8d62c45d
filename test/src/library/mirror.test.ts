// Mirrors in the process of the test, on SQLite and the embedded queue.
import { once } from 'node:events';
import fs, { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { afterAll, describe, expect, it, vi } from 'vitest';
import type { EventKind } from '#schemas/events.ts';
import { createMirror, type LoggedEvent } from '#src/library/mirror.ts';
import { startSandbox } from '#src/library/sandbox.ts';
import { signWebhook } from '#src/library/webhooks.ts';
import { createSampler } from '#src/sandbox/sample-delivery.ts';
import { consume } from '../../../docs/examples/typescript/consumer.ts';
import { forgedDeliveries } from '../../harness/forged-deliveries.ts';
import { freePort, until } from '../../harness/ports.ts';

const key = 'a signing key of thirty-two bytes';
const root = mkdtempSync(join(tmpdir(), 'slotstream-mirror-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const sample = createSampler(1);
function deliveryOf(kind: EventKind, index = 0): Request {
  const body = JSON.stringify(sample(kind, { index, now: new Date() }));
  return new Request('https://shop.example.test/any/path?s=1', {
    method: 'POST',
    body,
    headers: signWebhook({ body, key }),
  });
}

const settingsOf = (name: string) =>
  ({ dataDir: join(root, name), signingKeys: [key], minFreeDiskMb: 0, logLevel: 'silent' }) as const;

describe('a mirror in another program', () => {
  it('receives, and calls handlers after the commit, again after a failure, each from its own offset', async () => {
    const signals = () => process.listenerCount('SIGTERM') + process.listenerCount('SIGINT');
    const before = signals();
    await using mirror = await createMirror(settingsOf('one'));
    await using other = await createMirror({ ...settingsOf('two'), database: `sqlite:${join(root, 'other.db')}` });
    expect([signals(), mirror.port, mirror.adminUrl]).toEqual([before, undefined, undefined]);

    const logged: LoggedEvent[] = [];
    let failures = 2;
    await mirror.on(['invitee.*', 'contact.created'], 'crm', async (event) => {
      if (failures-- > 0) throw new Error('the CRM is down');
      logged.push(event);
    });
    let elsewhere = 0;
    await other.on('*', 'crm', () => (elsewhere += 1));
    expect(() => mirror.on('invitee.*', 'crm', () => {})).toThrow('there is a handler crm');
    expect(() => mirror.on('invitee.*', 'a name', () => {})).toThrow('letters, digits');

    // As a server passes requests on.
    const app = new Hono().post('/hook', ({ req }) => mirror.receive(req.raw));
    const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' });
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    // Those of one invitee, and two others.
    for (const kind of ['invitee.created', 'contact.created', 'event_type.created', 'invitee.canceled'] as const) {
      const request = deliveryOf(kind);
      const { headers } = request;
      const init = { method: 'POST', headers, body: await request.text() };
      expect((await fetch(`http://127.0.0.1:${port}/hook`, init)).status).toBe(202);
    }
    server.close();
    await until(() => logged.length === 3, 'all have been handled');
    expect(logged.map(({ entry }) => entry.outcome)).toEqual(['applied', 'applied', 'applied']);
    const ofInvitee = logged.filter(({ entry }) => entry.event !== 'contact.created').map(({ entry }) => entry);
    expect(ofInvitee.map(({ event }) => event)).toEqual(['invitee.created', 'invitee.canceled']);
    expect(new Set(ofInvitee.map(({ subject_uri }) => subject_uri)).size).toBe(1);
    const [invitee] = logged.flatMap(({ row }) => row?.['invitees'] ?? []);
    expect(invitee).toMatchObject({ uri: expect.stringContaining('/invitees/') });
    expect(elsewhere).toBe(0);
    expect(await mirror.status()).toMatchObject({ roles: { receives: true, works: true } });
  });

  it('continues where it stopped, and answers 503 once it is closed; the feed and forged deliveries are as in every mirror', async () => {
    const settings = { ...settingsOf('three'), adminPort: 0 };
    const first: number[] = [];
    {
      await using mirror = await createMirror(settings);
      await mirror.on('*', 'log', ({ entry }) => first.push(entry.seq));
      await mirror.receive(deliveryOf('invitee.created', 1));
      await until(() => first.length === 1, 'the first is handled');
      for (const { name, body, values } of forgedDeliveries(key, Math.floor(Date.now() / 1000))) {
        const headers = new Headers(values.map((value) => ['Calendly-Webhook-Signature', value]));
        const request = new Request('https://shop.example.test/', { method: 'POST', body, headers });
        expect([name, (await mirror.receive(request)).status]).toEqual([name, 401]);
      }
      await mirror.close();
      expect((await mirror.receive(deliveryOf('invitee.created', 2))).status).toBe(503);
      expect(() => mirror.on('*', 'late', () => {})).toThrow('closed');
    }
    await using mirror = await createMirror(settings);
    await mirror.receive(deliveryOf('invitee.canceled', 3));
    const second: number[] = [];
    await mirror.on('*', 'log', ({ entry }) => second.push(entry.seq));
    await until(() => second.length === 1, 'what came before the handler is handled');
    expect(second[0]).toBeGreaterThan(first[0] ?? Number.NaN);

    const loaded: number[] = [];
    const warehouse = { load: async (seq: number) => void loaded.push(seq) };
    const feed = { url: mirror.adminUrl ?? '', token: mirror.adminToken };
    await consume(feed, warehouse);
    await consume(feed, warehouse);
    expect(loaded).toEqual([...first, ...second]);
  });

  it('serves signed links where answers are on, and takes what comes to their path as a delivery elsewhere', async () => {
    const link = 'https://shop.example.test/hooks/answers/forged.token';
    for (const [answers, expected] of [
      ['on', [404, 'text/html; charset=utf-8']],
      ['off', [405, 'application/json']],
    ] as const) {
      await using mirror = await createMirror({ ...settingsOf(`answers ${answers}`), answers });
      const { status, headers } = await mirror.receive(new Request(link));
      expect([status, headers.get('content-type')]).toEqual(expected);
    }
  });

  it('names a setting that it does not know, and every wrong value', async () => {
    const wrong = { ...settingsOf('four'), databseUrl: 'x' } as object;
    await expect(createMirror(wrong)).rejects.toMatchObject({ hint: 'Did you mean databaseUrl?' });
    await expect(createMirror({ publicUrl: 'x', adminPort: -1 })).rejects.toThrow(
      /PUBLIC_URL[^]*ADMIN_PORT|ADMIN_PORT[^]*PUBLIC_URL/,
    );
  });

  it('registers at its start, by an option or by bootstrap(), and copies what there is; without that it says so once (A19)', async () => {
    await using sandbox = await startSandbox({ as: 'public', contacts: 3, bookings: 2 });
    const settings = async (name: string) => {
      const port = await freePort();
      const { signingKeys: _key, logLevel: _level, ...own } = settingsOf(name);
      const account = { apiBaseUrl: sandbox.url, apiToken: sandbox.token };
      return { ...own, ...account, host: '127.0.0.1', port, publicUrl: `http://127.0.0.1:${port}` } as const;
    };
    // Of the log, which is written to standard error.
    const written = vi.spyOn(fs, 'writeSync');
    const warnings = () => written.mock.calls.filter(([to, text]) => to === 2 && text.includes('no webhook'));
    try {
      const own = await settings('registered');
      const deaf = await createMirror(own);
      expect(warnings()).toEqual([[2, expect.stringMatching(/"level":"warn"[^]*register: true/), 'utf8']]);
      await deaf.close();
      await using mirror = await createMirror({ ...own, register: true });
      const seen: string[] = [];
      await mirror.on(['invitee.created', 'invitee.canceled'], 'crm', ({ entry }) => seen.push(String(entry.event)));
      const { uri } = await sandbox.book();
      await sandbox.cancel(uri);
      await until(() => seen.length === 2, 'the handler has both');
      expect(seen).toEqual(['invitee.created', 'invitee.canceled']);
      expect(await mirror.bootstrap()).toMatchObject({ complete: true, summary: { created: 0 } });
      const copied = await mirror.backfill();
      expect(copied.complete).toBe(true);
      expect(copied.resources.find(({ name }) => name === 'contacts')).toMatchObject({ state: 'complete', created: 3 });
      await mirror.close();
      await sandbox.faults({ status: 503 });
      // It is registered, so it starts while the service is down.
      await using again = await createMirror({ ...own, register: true, logLevel: 'silent' });
      expect(again.port).toBe(own.port);
      await expect(createMirror({ ...(await settings('new')), register: true })).rejects.toThrow('503');
      expect(warnings()).toHaveLength(1);
    } finally {
      written.mockRestore();
    }
  });
});
