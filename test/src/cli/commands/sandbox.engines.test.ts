// `sandbox` and `demo` as a person types them.
import { forms } from '#src/sandbox/world/service.ts';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { parseEnv } from 'node:util';
import { describe, expect, it } from 'vitest';
import { freePort, until } from '../../../harness/ports.ts';
import { ask } from '../../../oracle/deliveries.ts';
import { openHome } from '../../../harness/product.ts';
import { openedOnce } from '../../../harness/opened.ts';

const home = openedOnce(() => openHome());

const small = ['--contacts', '3', '--bookings', '3'];

describe('sandbox', () => {
  it('prints addresses and tokens as JSON in its first line, the same for the same seed and port', async () => {
    const port = await freePort();
    const lines: string[] = [];
    for (let times = 0; times < 2; times += 1) {
      await using child = home.openVerb(['sandbox', '--json', '--port', String(port), '--seed', '7', ...small]);
      await until(() => child.out().includes('\n'), 'the first line is there');
      lines.push(child.out().split('\n')[0] ?? '');
      const handles = JSON.parse(lines.at(-1) ?? '');
      const answer = await fetch(`${handles.base_url}/contacts`, {
        headers: { authorization: `Bearer ${handles.tokens.owner}` },
      });
      expect(((await answer.json()) as { collection: unknown[] }).collection).toHaveLength(3);
      expect(await child.signal('SIGTERM')).toBe(0);
    }
    expect(lines[0]).toBe(lines[1]);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      base_url: `http://127.0.0.1:${port}`,
      organization: expect.stringContaining('/organizations/'),
      users: { owner: expect.any(String) },
      tokens: { owner: expect.any(String), trial: expect.any(String) },
    });
  });

  it('begins with bookings that came through a routing form, unless --routed is 0 (N1)', async () => {
    const routedIn = async (...more: readonly string[]) => {
      await using child = home.openVerb(['sandbox', '--json', '--port', '0', '--bookings', '60', ...more]);
      await until(() => child.out().includes('\n'), 'the first line is there');
      const { base_url } = JSON.parse(child.out().split('\n')[0] ?? '');
      const state = await (await fetch(`${base_url}/_sandbox/state`)).json();
      const { invitees } = state as { invitees: { routing_form_submission: string | null }[] };
      return invitees.filter((one) => one.routing_form_submission !== null).length;
    };
    expect(await routedIn()).toBeGreaterThan(5);
    expect(await routedIn('--routed', '0')).toBe(0);
  });

  it('introduces itself to people, with settings to paste that work', async () => {
    await using child = home.openVerb(['sandbox', '--port', '0', '--live', '50', ...small]);
    await until(() => child.out().includes('Ctrl-C'), 'it has said everything');
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(child.out())?.[0];
    const settings = parseEnv(child.out());
    expect(settings).toMatchObject({ API_BASE_URL: url, PUBLIC_URL: 'http://127.0.0.1:8080', AUTH_URL: url });
    const authorization = `Bearer ${settings['API_TOKEN']}`;
    expect((await fetch(`${url}/users/me`, { headers: { authorization } })).status).toBe(200);
    const client = {
      client_id: settings['OAUTH_CLIENT_ID'] ?? '',
      client_secret: settings['OAUTH_CLIENT_SECRET'] ?? '',
    };
    const revoked = new URLSearchParams({ ...client, token: 'unknown' });
    expect((await fetch(`${url}/oauth/revoke`, { method: 'POST', body: revoked })).status).toBe(200);
    expect(settings['SIGNING_KEYS']?.length).toBeGreaterThanOrEqual(16);
    expect(child.out()).toMatch(/token of +│? *Authorization/);
    expect(child.out()).toContain(`${url}/_sandbox/docs`);
    expect((await fetch(`${url}/_sandbox/docs`)).status).toBe(200);
    expect(await child.signal('SIGINT')).toBe(0);
  });

  it('names a port that is taken, and what to do', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port } = holder.address() as { port: number };
    const { code, err } = await home.run(['sandbox', '--port', String(port)]);
    holder.close();
    expect(code).toBe(2);
    expect(err).toContain(`✗ 127.0.0.1:${port} is already in use.\n→ `);
  });

  it('answers as the public service with --as public, and says which forms there are', async () => {
    await using child = home.openVerb(['sandbox', '--json', '--port', '0', '--as', 'public', ...small]);
    await until(() => child.out().includes('\n'), 'the first line is there');
    const handles = JSON.parse(child.out().split('\n')[0] ?? '');
    expect(await (await fetch(`${handles.base_url}/users/me`)).json()).toMatchObject({ title: 'Unauthenticated' });
    expect(await child.signal('SIGTERM')).toBe(0);
    const wrong = await home.run(['sandbox', '--as', 'other', '--contacts', '1000001', '--live', 'fast']);
    for (const text of ['specification or public', 'whole number up to 100,000', '--live <rate> must be a rate'])
      expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining(text) });
  });
});

describe('demo', () => {
  it.each(forms)(
    'registers with its sandbox as %s, tells what happens, and every webhook becomes a row of the log',
    async (as) => {
      // The usual port is in use, by this test or by another program: the demo takes another one.
      const holder = createServer().on('error', () => {});
      holder.listen(8080, '127.0.0.1');
      const { code, out, err } = await home.run(['demo', '--rate', '60', '--count', '45', '--as', as], {
        PORT: '',
      });
      holder.close();
      expect(err).toMatch(/receives webhooks on +http:\/\/127\.0\.0\.1:(?!8080\b)\d+\/webhooks/);
      expect([code, err]).toEqual([0, expect.stringContaining('/_sandbox/docs')]);
      expect(err).toMatch(/^\$ \S+bin\/slotstream bootstrap$/m);
      expect(err).toMatch(/^\$ \S+bin\/slotstream backfill$/m);
      for (const next of ['status', 'feed', 'export', 'why'])
        expect(err.split('$ ', 1)[0]).toMatch(new RegExp(`DATA_DIR=${home.dataDir}/demo \\S+bin/slotstream ${next}`));
      expect(err).toContain('/docs');
      const sent = out.split('\n').filter((line) => /^\d\d:\d\d:\d\d {2}\w+\.\w+ /.test(line));
      expect(sent.length).toBeGreaterThanOrEqual(45);
      const [logged] = await ask(
        `sqlite:${home.dataDir}/demo/mirror.db`,
        "select count(*) as n from event_log where source = 'webhook'",
      );
      const [unordered] = await ask(
        `sqlite:${home.dataDir}/demo/mirror.db`,
        `select count(*) as n from (select received_at, lag(received_at) over (order by seq) as before from event_log
          where source = 'webhook') as entries where received_at < before`,
      );
      const past = Number(/webhooks of the last two months are in the log: (\d+)/.exec(err)?.[1]);
      expect(past).toBeGreaterThan(500);
      expect(logged?.['n']).toBe(past + sent.length);
      expect(unordered?.['n']).toBe(0);
      expect(err).toMatch(/^Starting.*\n\nThe dashboard +http:\/\/127\.0\.0\.1:\d+\/\?login=\S+\n/);
    },
  );
});
