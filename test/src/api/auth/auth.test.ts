// Who gets into the admin listener, and with what.
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLoginThrottle } from '#src/api/auth/login-throttle.ts';
import { createSessions, sessionSeconds } from '#src/api/auth/session.ts';
import { openAdminToken } from '#src/api/running-instance.ts';
import { adminToken, bearer, logIn, loginLinkTo, openAdmin, readToken } from '../../../harness/mirror/api-app.ts';
import { runs } from '../../../harness/runs.ts';

const browser = { accept: 'text/html' };
const https = { headers: { 'x-forwarded-proto': 'https' } };
const sameOrigin = { 'sec-fetch-site': 'same-origin' };

describe('the login link', () => {
  it('becomes a session, once, and its code leaves the address', async () => {
    const { ask, heard } = openAdmin();
    const link = await loginLinkTo({ ask }, '/openapi.json');
    expect(link).toMatch(/^\/openapi\.json\?login=[\w-]{22}$/);
    const answer = await ask(`${link}&a=1&b=%20#there`);
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/openapi.json?a=1&b=+']);
    const cookie = answer.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/^slotstream_session_8081=[^;]+; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(cookie).not.toContain(adminToken);
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    const session = await logIn({ ask });
    expect((await ask('/api/status', { headers: { cookie: session } })).status).toBe(200);
    expect((await ask('/api/status')).status).toBe(401);
    expect(heard.loggedIn).toBe(2);
    const again = await ask(link, { headers: browser });
    expect([again.status, again.headers.get('set-cookie')]).toEqual([401, null]);
    expect(await again.text()).toContain('This link is not valid any more.');
    // In the browser that used it, it is an address like any other.
    const own = await ask(link, { headers: { ...browser, cookie: session } });
    expect([own.status, own.headers.get('location')]).toEqual([303, '/openapi.json']);
  });

  it('is valid for a minute, in the process that made it', async () => {
    const { ask, clock } = openAdmin();
    const [early, late] = [await loginLinkTo({ ask }), await loginLinkTo({ ask })];
    clock.nowMs += 59_999;
    expect((await ask(early)).status).toBe(303);
    clock.nowMs += 1;
    expect((await ask(late)).status).toBe(401);
    expect((await openAdmin().ask(await loginLinkTo({ ask }))).status).toBe(401);
  });

  it('is made for the admin token alone, and no token logs a browser in from an address', async () => {
    const { ask } = openAdmin();
    for (const headers of [
      {},
      { authorization: `Bearer ${readToken}` },
      { cookie: await logIn({ ask }), ...sameOrigin },
    ]) {
      const answer = await ask('/login', { method: 'POST', headers: headers as Record<string, string> });
      expect(await answer.text()).not.toContain('login_url');
    }
    expect((await ask(`/?token=${adminToken}`)).status).toBe(401);
    expect((await ask(`/?login=${adminToken}`)).status).toBe(401);
  });

  it('is for the encrypted address alone where the address is encrypted', async () => {
    const { ask } = openAdmin({ hostNames: ['slotstream.example'] });
    for (const [origin, headers] of [
      ['https://slotstream.example', {}],
      ['', https.headers],
    ] as const)
      expect((await ask(origin + (await loginLinkTo({ ask })), { headers })).headers.get('set-cookie')).toMatch(
        /^__Host-slotstream_session(_8081)?=[^;]+;.* Path=\/;.* Secure/,
      );
    const cookie =
      ((await ask(await loginLinkTo({ ask }), https)).headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '';
    expect((await ask('/api/status', { headers: { ...https.headers, cookie } })).status).toBe(200);
    expect((await ask('/api/status', { headers: { cookie } })).status).toBe(401);
  });

  it('leads nowhere else, and does nothing for what changes something', async () => {
    const { ask } = openAdmin();
    const elsewhere = await ask(await loginLinkTo({ ask }, 'http://127.0.0.1:8081//elsewhere.example/'));
    expect([elsewhere.status, elsewhere.headers.get('location')]).toEqual([303, '/elsewhere.example/']);
    const changing = await ask(await loginLinkTo({ ask }, '/api/deliveries/1/replay'), { method: 'POST' });
    expect([changing.status, changing.headers.get('set-cookie')]).toEqual([401, null]);
  });

  it('is refused where a page sent it as anything but a navigation, which counts as no guess', async () => {
    const { ask, heard } = openAdmin();
    const link = await loginLinkTo({ ask });
    const from = (mode: string, dest: string) => ({
      headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': mode, 'sec-fetch-dest': dest },
    });
    for (let tries = 0; tries < 20; tries += 1)
      expect((await ask('/?login=x', from('no-cors', 'image'))).status).toBe(403);
    for (const how of [from('no-cors', 'image'), from('cors', 'empty'), from('navigate', 'iframe')])
      expect((await ask(link, how)).status).toBe(403);
    expect(heard.refused).not.toContain('wrong');
    // A redirect would lose the cookie: the page of another site has begun it.
    expect((await ask(link, from('navigate', 'document'))).headers.get('refresh')).toBe('0;url=/');
  });

  it('with a wrong code is refused like everything else, and says so', async () => {
    const { ask } = openAdmin();
    const refusals = await Promise.all([
      ask('/openapi.json', { headers: browser }),
      ask('/openapi.json', { headers: { ...browser, authorization: 'Bearer wrong' } }),
      ask('/openapi.json', { headers: { ...browser, cookie: 'slotstream_session_8081=1.x' } }),
      ask('/openapi.json?login=wrong', { headers: browser }),
      ask('/openapi.json?login=', { headers: browser }),
    ]);
    expect(refusals.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401]);
    const texts = await Promise.all(refusals.map((answer) => answer.text()));
    expect([new Set(texts).size, new Set(texts.slice(3)).size]).toEqual([2, 1]);
    expect(texts[0]).toContain('./bin/slotstream status --login');
    expect(new Set(refusals.map(({ headers }) => JSON.stringify([...headers]))).size).toBe(1);
  });
});

describe('the token', () => {
  it('is made where none is set, long, the same ever after, and for its owner’s eyes only', () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'slotstream-token-'));
    const made = openAdminToken({ dataDir });
    expect(made).toMatch(/^[\w-]{43}$/);
    expect(openAdminToken({ dataDir })).toBe(made);
    expect(statSync(join(dataDir, 'admin-token')).mode & 0o777).toBe(0o600);
    expect(openAdminToken({ dataDir, adminToken })).toBe(adminToken);
    rmSync(dataDir, { recursive: true });
  });

  it('is refused when its file is empty or too short, with the way out', () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'slotstream-token-'));
    for (const content of ['', 'fifteen-letters\n']) {
      writeFileSync(join(dataDir, 'admin-token'), content);
      expect(() => openAdminToken({ dataDir })).toThrow('contains no admin token of 16 characters or more');
    }
    rmSync(dataDir, { recursive: true });
    expect(() => openAdmin({ token: '' })).toThrow('fewer than 16 characters');
  });

  it('is the same, and never empty, for many processes that start at the same moment', async () => {
    const script = `
      import { openAdminToken } from '#src/api/running-instance.ts';
      const [dataDir, at] = process.argv.slice(1);
      while (Date.now() < Number(at)) {}
      process.stdout.write(openAdminToken({ dataDir }));`;
    const dataDir = mkdtempSync(join(tmpdir(), 'slotstream-token-'));
    const args = ['--input-type=module-typescript', '--eval', script, dataDir, String(Date.now() + 1000)];
    const tokens = await Promise.all(Array.from({ length: 3 }, () => promisify(execFile)(process.execPath, args)));
    rmSync(dataDir, { recursive: true });
    expect(new Set(tokens.map(({ stdout }) => stdout)).size).toBe(1);
    expect(tokens[0]?.stdout).toMatch(/^[\w-]{43}$/);
  });
});

describe('a session', () => {
  it('ends after twelve hours, and with the token it was made from', async () => {
    const { ask, clock } = openAdmin();
    const cookie = await logIn({ ask });
    const status = async (): Promise<number> => (await ask('/api/status', { headers: { cookie } })).status;
    clock.nowMs += (sessionSeconds - 1) * 1000;
    expect(await status()).toBe(200);
    clock.nowMs += 1000;
    expect(await status()).toBe(401);
    const other = openAdmin({ token: 'another-token-of-sixteen-bytes' });
    expect((await other.ask('/api/status', { headers: { cookie } })).status).toBe(401);
  });

  it('cannot be made up or changed', () => {
    const sessions = createSessions(adminToken, { clock: () => 0 });
    const real = sessions.open();
    expect(sessions.stateOf(real)).toBe('valid');
    fc.assert(
      fc.property(fc.nat(real.length - 1), fc.string({ minLength: 0, maxLength: 2 }), (place, other) => {
        const changed = real.slice(0, place) + other + real.slice(place + 1);
        expect(sessions.stateOf(changed)).toBe(changed === real ? 'valid' : 'forged');
      }),
      runs(300),
    );
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(sessions.stateOf(text)).toBe('forged');
      }),
      runs(300),
    );
    expect(createSessions(`${adminToken}!`, { clock: () => 0 }).stateOf(real)).toBe('forged');
  });
});

describe('a caller that guesses tokens', () => {
  const guess = { headers: { authorization: 'Bearer guess' } };

  it('has to wait after ten wrong tokens in a minute, in whichever way they were sent', async () => {
    const { ask, clock, heard } = openAdmin();
    const ways = [
      () => ask('/', guess),
      () => ask('/?login=guess'),
      () => ask('/', { headers: { cookie: 'slotstream_session_8081=1.forged' } }),
      () =>
        ask('/login', {
          method: 'POST',
          headers: { ...sameOrigin, ...browser },
          body: new URLSearchParams({ token: 'guess' }),
        }),
    ];
    for (let tries = 0; tries < 10; tries += 1) expect((await ways[tries % 4]?.())?.status).toBe(401);
    clock.nowMs += 20_000;
    for (const way of ways) {
      const answer = await way();
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '40']);
    }
    expect(await (await ask('/?login=guess', { headers: browser })).text()).toContain('Try again in 40 seconds.');
    expect(heard.refused.filter((cause) => cause === 'wrong')).toHaveLength(10);
    expect(heard.refused.filter((cause) => cause === 'too_many')).toHaveLength(5);
    clock.nowMs += 40_000;
    expect((await ask('/', guess)).status).toBe(401);
  });

  it('locks out neither the right token, nor a session, nor another address, nor a caller that sends no token', async () => {
    const { ask } = openAdmin();
    const cookie = await logIn({ ask });
    for (let tries = 0; tries < 50; tries += 1) await ask('/', guess);
    expect((await ask('/', guess)).status).toBe(429);
    expect((await ask('/api/status', { headers: bearer })).status).toBe(200);
    expect((await ask(await loginLinkTo({ ask }))).status).toBe(303);
    expect((await ask('/api/status', { headers: { cookie } })).status).toBe(200);
    expect((await ask('/', guess, '192.0.2.2')).status).toBe(401);
    expect((await ask('/')).status).toBe(401);
    const spoofed = { headers: { ...guess.headers, 'x-forwarded-for': '192.0.2.9' } };
    expect((await ask('/', spoofed)).status).toBe(429);
  });

  it('is one address for a whole network of IPv6, and for an IPv4 address in either spelling', async () => {
    const throttle = createLoginThrottle({ clock: () => 0, delayMs: 1 });
    const waits = (addresses: readonly string[]) =>
      Array.from({ length: 11 }, (_, n) => throttle.failed(addresses[n % addresses.length] as string)).at(-1);
    expect(await waits(['2001:db8:1:2::1', '2001:db8:1:2:ffff::9', '2001:db8:1:2:3:4:5:6'])).toBe(60);
    expect(await throttle.failed('2001:db8:1:3::1')).toBeUndefined();
    expect(await waits(['198.51.100.7', '::ffff:198.51.100.7'])).toBe(60);
  });

  it('with many addresses makes the oldest forgotten, not the list longer', async () => {
    const throttle = createLoginThrottle({ clock: () => 0, delayMs: 1 });
    for (let tries = 0; tries < 10; tries += 1) await throttle.failed('192.0.2.1');
    expect(await throttle.failed('192.0.2.1')).toBe(60);
    for (let n = 0; n < 1000; n += 1) await throttle.failed(`10.0.${n >> 8}.${n & 255}`);
    expect(await throttle.failed('192.0.2.1')).toBeUndefined();
  });

  it('gets its answers late, and up to 200 wait for theirs while the right token is answered at once', async () => {
    const { ask, heard } = openAdmin({ delayMs: 1000 });
    const cookie = await logIn({ ask });
    for (let tries = 0; tries < 10; tries += 1) await ask('/', guess);
    const answered: number[] = [];
    const late = Array.from({ length: 200 }, async () => answered.push((await ask('/', guess)).status));
    // Not delayed either: a request that waits takes memory.
    expect((await ask('/', guess)).status).toBe(429);
    expect((await ask('/api/status', { headers: bearer })).status).toBe(200);
    expect((await ask('/api/status', { headers: { cookie } })).status).toBe(200);
    expect(answered).toEqual([]);
    await Promise.all(late);
    expect(new Set(answered)).toEqual(new Set([429]));
    expect(heard.refused.filter((cause) => cause === 'too_many')).toHaveLength(201);
  });
});

describe('a page of another site', () => {
  const post = async (headers: Record<string, string>, path = '/api/deliveries/1/replay'): Promise<number> => {
    const { ask } = openAdmin();
    const cookie = await logIn({ ask });
    return (await ask(path, { method: 'POST', headers: { cookie, ...headers } })).status;
  };

  it.each(['/api/deliveries/1/replay', '/deliveries', '/nothing', '/logout'])(
    'changes nothing at %s with the session of a browser',
    async (path) => {
      for (const site of ['cross-site', 'same-site', 'none', ''])
        expect(await post({ 'sec-fetch-site': site }, path)).toBe(403);
      for (const origin of ['https://evil.example', 'http://127.0.0.1:9999', 'http://127.0.0.1', 'null', ''])
        expect(await post({ origin }, path)).toBe(403);
      expect(await post({}, path)).toBe(403);
      // What a browser says of itself outweighs what a page could say.
      expect(await post({ 'sec-fetch-site': 'cross-site', origin: 'http://127.0.0.1:8081' }, path)).toBe(403);
      expect(await post({ origin: 'http://127.0.0.1:8081' }, path)).not.toBe(403);
    },
  );

  it('does not matter when the request has the token itself', async () => {
    const { ask } = openAdmin();
    const headers = { ...bearer, 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };
    expect((await ask('/api/deliveries/1/replay', { method: 'POST', headers })).status).toBe(404);
  });

  it('reads nothing with the session of a browser, but may lead there', async () => {
    const { ask } = openAdmin();
    const cookie = await logIn({ ask });
    const from = async (site: string, mode: string, dest: string): Promise<number> => {
      const headers = { cookie, 'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-fetch-dest': dest };
      return (await ask('/api/status', { headers })).status;
    };
    for (const site of ['same-site', 'cross-site']) {
      expect(await from(site, 'no-cors', 'image')).toBe(403);
      expect(await from(site, 'navigate', 'iframe')).toBe(403);
      expect(await from(site, 'navigate', 'document')).toBe(200);
    }
    expect(await from('same-origin', 'cors', 'empty')).toBe(200);
    expect(await from('none', 'navigate', 'document')).toBe(200);
  });
});

describe('the host name of a request', () => {
  const from = (host: string): string => `http://${host}:8081/`;

  it('has to be known, unless the request has a token', async () => {
    const { ask, heard } = openAdmin({ hostNames: ['slots.example.test'] });
    const cookie = await logIn({ ask });
    for (const host of ['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example']) {
      for (const headers of [{}, { cookie }] as Record<string, string>[]) {
        const answer = await ask(from(host), { headers });
        expect([answer.status, await answer.text()]).toEqual([421, expect.stringContaining('Set ADMIN_URL')]);
      }
      expect((await ask(from(host), { headers: bearer })).status).toBe(200);
      expect((await ask(`${from(host)}healthz`)).status).toBe(200);
    }
    expect(heard.refused.at(-1)).toBe('unknown_host');
    for (const host of ['localhost', 'slotstream-1.localhost', '127.0.0.1', '[::1]', '10.1.2.3', 'slots.example.test'])
      expect((await ask(from(host), { headers: { cookie } })).status).toBe(200);
  });

  it('becomes a secret name of our own for a browser that logs in on this machine, before it gets a cookie', async () => {
    const { ask } = openAdmin({ ownName: 'slotstream-1.localhost', readToken });
    const page = {
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
      'user-agent': 'Mozilla/5.0 Firefox/140.0',
    };
    const link = () => loginLinkTo({ ask }, '/openapi.json');
    const opened = async (url: string, headers: Record<string, string> = page) => {
      const answer = await ask(url, { headers });
      return { to: answer.headers.get('location'), cookie: answer.headers.get('set-cookie'), status: answer.status };
    };
    for (const host of ['127.0.0.1', 'localhost', '[::1]']) {
      const code = await link();
      const own = `http://slotstream-1.localhost:9000${code}`;
      expect(await opened(`http://${host}:9000${code}`)).toEqual({ to: own, cookie: null, status: 302 });
      expect(await opened(own)).toMatchObject({
        to: '/openapi.json',
        cookie: expect.stringContaining('slotstream_session'),
      });
      // Who may not log in does not get the name: it could lead browsers to a port of its own there.
      for (const url of [
        `http://${host}:9000${code}`,
        `http://${host}:9000/openapi.json`,
        `http://${host}:9000/?login=x`,
      ])
        expect(await opened(url)).toMatchObject({ to: null, status: 401 });
    }
    // Safari does not find such names, programs have no use for them, and a proxy has a name of its own.
    for (const headers of [
      {},
      { ...page, 'user-agent': 'Version/18.0 Safari/605.1' },
      { ...page, 'x-forwarded-for': '::1' },
    ])
      expect(await opened(`http://127.0.0.1:9000${await link()}`, headers)).toMatchObject({
        to: '/openapi.json',
        status: 303,
      });
    const headers = { ...page, 'sec-fetch-site': 'same-origin', 'content-type': 'application/x-www-form-urlencoded' };
    const post = { method: 'POST', headers, body: `token=${readToken}&next=/openapi.json?a=1` };
    const to = (await ask('http://127.0.0.1:9000/login', post)).headers.get('refresh')?.slice('0;url='.length) ?? '';
    expect(to).toMatch(/^http:\/\/slotstream-1\.localhost:9000\/openapi\.json\?a=1&login=/);
    const cookie = (await opened(to)).cookie?.split(';', 1)[0] ?? '';
    expect((await ask('http://slotstream-1.localhost:9000/openapi.json', { headers: { cookie } })).status).toBe(200);
    const changing = { method: 'POST', headers: { cookie, 'sec-fetch-site': 'same-origin' } };
    expect((await ask('http://slotstream-1.localhost:9000/x', changing)).status).toBe(403);
  });
});
