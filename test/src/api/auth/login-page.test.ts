// The form of the login page, and the way out: which tokens it takes, where it leads, and that no other site can use it.
import { describe, expect, it } from 'vitest';
import { adminToken, logIn, openAdmin, readToken, type Admin } from '../../../harness/mirror/api-app.ts';

const sameOrigin = { 'sec-fetch-site': 'same-origin', accept: 'text/html' };
const formType = { 'content-type': 'application/x-www-form-urlencoded' };

function submit(
  { ask }: Pick<Admin, 'ask'>,
  fields: Record<string, string>,
  headers: Record<string, string> = sameOrigin,
) {
  return ask('/login', {
    method: 'POST',
    headers: { ...formType, ...headers },
    body: String(new URLSearchParams(fields)),
  });
}

const cookieOf = (answer: Response): string => (answer.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '';

describe('the login page', () => {
  it('has a form that returns to the requested address, which it shows as text, within a policy that allows its style and its form only', async () => {
    const { ask } = openAdmin();
    const answer = await ask('/deliveries?event=invitee.*&login=wrong', { headers: { accept: 'text/html' } });
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    );
    const page = await answer.text();
    expect(page).toContain('<form method="post" action="/login">');
    expect(page).toContain('value="/deliveries?event=invitee.*"');
    expect(page).not.toContain('wrong');
    const hostile = await ask('/a?b="><script>alert(1)</script>', { headers: { accept: 'text/html' } });
    expect(await hostile.text()).not.toContain('<script');
  });

  it('takes either token, also with spaces around it', async () => {
    const admin = openAdmin();
    for (const token of [adminToken, ` ${adminToken}\n`, readToken]) {
      const answer = await submit(admin, { token, next: '/deliveries?event=a&outcome=b' });
      expect([answer.status, answer.headers.get('location')]).toEqual([303, '/deliveries?event=a&outcome=b']);
      expect(answer.headers.get('set-cookie')).toMatch(/; HttpOnly; SameSite=Strict$/);
      const status = await admin.ask('/api/status', { headers: { cookie: cookieOf(answer) } });
      expect(status.status).toBe(200);
    }
    expect(admin.heard.loggedIn).toBe(3);
  });

  it.each([
    'https://elsewhere.example/',
    '//elsewhere.example',
    '/\\elsewhere.example',
    '\\\\elsewhere.example',
    'http://127.0.0.1:9999/',
    'javascript:alert(1)',
    'http://[',
    '/login',
    '/logout',
    '',
  ])('leads to the first page instead of %j', async (next) => {
    const answer = await submit(openAdmin(), { token: adminToken, next });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/']);
  });

  it('says that a token is wrong, keeps the address, and repeats nothing of the token', async () => {
    const admin = openAdmin();
    const answer = await submit(admin, { token: 'a-wrong-one', next: '/numbers' });
    const page = await answer.text();
    expect([answer.status, answer.headers.get('set-cookie')]).toEqual([401, null]);
    expect(page).toContain('neither the admin token nor the read-only token');
    expect(page).toContain('value="/numbers"');
    expect(page).not.toContain('a-wrong-one');
    expect(admin.heard.refused).toEqual(['wrong']);
  });

  it('refuses a form of another site, or of another port of this host', async () => {
    const admin = openAdmin();
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'http://127.0.0.1:9999' },
      { origin: 'null' },
      {},
    ]) {
      const answer = await submit(admin, { token: adminToken }, headers);
      expect([answer.status, answer.headers.get('set-cookie')]).toEqual([403, null]);
    }
    expect((await submit(admin, { token: adminToken }, { origin: 'http://127.0.0.1:8081' })).status).toBe(303);
  });

  it('refuses a form of more than a megabyte', async () => {
    expect((await submit(openAdmin(), { token: 'x'.repeat(1_100_000) })).status).toBe(413);
  });
});

describe('logging out', () => {
  const logOut = ({ ask }: Pick<Admin, 'ask'>, headers: Record<string, string>) =>
    ask('/logout', { method: 'POST', headers });

  it('removes the cookie and shows the first page, which asks for a login', async () => {
    const admin = openAdmin();
    const answer = await logOut(admin, { ...sameOrigin, cookie: await logIn(admin) });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/']);
    expect(answer.headers.get('set-cookie')).toMatch(/^slotstream_session_8081=; Max-Age=0; Path=\//);
  });

  it('ends the session in a process without a database too, which takes no session of another process (N4)', async () => {
    const [admin, other] = [openAdmin(), openAdmin()];
    const [cookie, second] = [await logIn(admin), await logIn(admin)];
    const status = async ({ ask }: Admin, mine: string) =>
      (await ask('/api/status', { headers: { cookie: mine } })).status;
    // Two logins of one second are two sessions.
    expect(second).not.toBe(cookie);
    expect([await status(admin, cookie), await status(other, cookie)]).toEqual([200, 401]);
    await logOut(admin, { ...sameOrigin, cookie });
    expect([await status(admin, cookie), await status(admin, second)]).toEqual([401, 200]);
    expect(other.heard.refused).toEqual(['unauthenticated']);
  });

  it('is possible for a session that can only read', async () => {
    const admin = openAdmin();
    const cookie = cookieOf(await submit(admin, { token: readToken }));
    expect((await logOut(admin, { ...sameOrigin, cookie })).status).toBe(303);
  });
});
