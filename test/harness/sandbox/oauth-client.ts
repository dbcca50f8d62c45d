// A client of the sandbox's authorization server: each step of the flow is one line, and each can be bent.
import { createHash, randomBytes } from 'node:crypto';
import type { Answer, TestSandbox } from '../sandbox.ts';

/** What differs from a right request; undefined leaves a parameter out. */
export type Bent = Readonly<Record<string, string | undefined>>;

export const callback = 'http://127.0.0.1:8123/callback';
export const verifier = randomBytes(32).toString('base64url');
export const challengeOf = (text: string): string => createHash('sha256').update(text).digest('base64url');

export function openClient(sandbox: TestSandbox) {
  const { base_url, users } = sandbox.handles;
  const right = {
    response_type: 'code',
    client_id: 'slotstream',
    redirect_uri: callback,
    code_challenge: challengeOf(verifier),
    code_challenge_method: 'S256',
    state: 'as sent',
  };

  async function turn(url: string, init: RequestInit = {}) {
    const answer = await fetch(url, { redirect: 'manual', ...init });
    const location = answer.headers.get('location');
    /** What the client receives when the browser is sent back to it. */
    const back: Readonly<Record<string, string>> | undefined =
      location === null ? undefined : Object.fromEntries(new URL(location).searchParams);
    return { status: answer.status, headers: answer.headers, text: await answer.text(), back };
  }

  /** The consent page, or what comes instead. */
  const ask = (bent: Bent = {}) => turn(`${base_url}/oauth/authorize?${form({ ...right, ...bent })}`);
  /** Approved at once by the owner, unless bent. */
  const approve = (bent: Bent = {}) => ask({ prompt: 'none', login_hint: users.owner, ...bent });
  /** What the page sends. */
  const choose = (bent: Bent = {}) =>
    turn(`${base_url}/oauth/authorize`, { method: 'POST', body: form({ ...right, ...bent }) });

  async function post(path: string, bent: Bent, init: RequestInit = {}): Promise<Answer> {
    const answer = await fetch(base_url + path, {
      method: 'POST',
      body: form({ client_id: 'slotstream', ...bent }),
      ...init,
    });
    return { status: answer.status, headers: answer.headers, body: await answer.json() };
  }
  const exchange = (code: string | undefined, bent: Bent = {}, init: RequestInit = {}): Promise<Answer> => {
    const proof = { grant_type: 'authorization_code', redirect_uri: callback, code_verifier: verifier, code };
    return post('/oauth/token', { ...proof, ...bent }, init);
  };
  const refresh = (refresh_token: string, bent: Bent = {}): Promise<Answer> =>
    post('/oauth/token', { grant_type: 'refresh_token', refresh_token, ...bent });
  const revoke = (token: string | undefined, bent: Bent = {}): Promise<Answer> =>
    post('/oauth/revoke', { token, ...bent });

  /** From nothing to a pair of tokens. */
  async function signIn(bent: Bent = {}): Promise<Answer> {
    const { back } = await approve(bent);
    return exchange(back?.code);
  }
  const works = async (token: string): Promise<boolean> =>
    (await sandbox.call('GET', '/users/me', { token })).status === 200;

  const introspect = (token: string | undefined, bent: Bent = {}): Promise<Answer> =>
    post('/oauth/introspect', { token, ...bent });

  return { ask, approve, choose, exchange, introspect, refresh, revoke, signIn, works };
}

function form(values: Bent): URLSearchParams {
  const sent = Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return new URLSearchParams(sent);
}
