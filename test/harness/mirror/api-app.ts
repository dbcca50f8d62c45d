// The admin listener without sockets: its token, a clock that moves by hand, and everything reported to it.
import { createAdminApp, type AdminNeeds } from '#src/api/app.ts';
import { createLoginCodes } from '#src/api/auth/login-codes.ts';
import { sessionsOfProcess } from '#src/api/auth/session.ts';
import { openListener } from '#src/receiver/listener.ts';

export const adminToken = 'a-token-of-more-than-sixteen-bytes';
export const readToken = 'a-token-that-can-only-read';

export function openAdmin(more: Partial<AdminNeeds> = {}) {
  const heard = { refused: [] as string[], reported: [] as unknown[], loggedIn: 0 };
  const clock = { nowMs: Date.parse('2025-04-14T12:00:00Z') };
  const app = createAdminApp({
    token: adminToken,
    readToken,
    hostNames: [],
    loginCodes: createLoginCodes({ clock: () => clock.nowMs }),
    sessions: sessionsOfProcess({ clock: () => clock.nowMs }),
    clock: () => clock.nowMs,
    delayMs: 1,
    status: async () => ({ pid: 7 }),
    metrics: { read: async () => ({ contentType: 'text/plain', text: 'slotstream_up 1' }) },
    health: { readiness: async () => ({ status: 'ready', engines: { queue: 'up' } }) },
    refused: (cause) => void heard.refused.push(cause),
    loggedIn: () => void (heard.loggedIn += 1),
    report: (error) => void heard.reported.push(error),
    ...more,
  });
  /** As from this address. */
  const ask = (path: string, init: RequestInit = {}, address = '192.0.2.1'): Promise<Response> =>
    Promise.resolve(
      app.fetch(new Request(new URL(path, 'http://127.0.0.1:8081'), init), {
        incoming: { socket: { remoteAddress: address } },
      } as never),
    );
  return { ask, heard, clock, fetch: app.fetch, routes: app.routes };
}

export type Admin = ReturnType<typeof openAdmin>;

export const bearer = { authorization: `Bearer ${adminToken}` } as const;

/** A new login link that leads to this path. */
export async function loginLinkTo({ ask }: Pick<Admin, 'ask'>, path = '/'): Promise<string> {
  const answer = await ask('/login', { method: 'POST', headers: bearer });
  const { login_url } = (await answer.json()) as { login_url: string };
  return path + new URL(login_url).search;
}

/** The cookie a browser would send back after following the login link. */
export async function logIn({ ask }: Pick<Admin, 'ask'>): Promise<string> {
  const answer = await ask(await loginLinkTo({ ask }));
  return (answer.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '';
}

/** On a socket of its own. */
export async function listen({ fetch }: Pick<Admin, 'fetch'>): Promise<AsyncDisposable & { readonly url: string }> {
  const listener = await openListener({ host: '127.0.0.1', port: 0, closeTimeoutMs: 100 });
  listener.serve({ fetch: (request, env) => fetch(request, env), onClosing: () => {} });
  return { url: `http://127.0.0.1:${listener.port}`, [Symbol.asyncDispose]: () => listener.close() };
}
