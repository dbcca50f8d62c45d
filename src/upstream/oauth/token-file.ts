// The file of logins: readable by its owner only, replaced as a whole, changed by one process at a time.
import { slotstream } from '#src/base/command.ts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { makeFolder, replaceFile } from '#src/base/durable-file.ts';
import { ownCode, SlotstreamError } from '#src/base/errors.ts';
import { takeLock } from '#src/base/process-lock.ts';
import type { Tokens } from './authorization-server.ts';

const login = z.object({
  /** The user's URI: one entry each. */
  user: z.string(),
  name: z.string().nullable(),
  organization: z.string().nullable(),
  scopes: z.array(z.string()).readonly(),
  /** The application and the server: a login is valid only for both. */
  clientId: z.string(),
  authUrl: z.string(),
  loggedInAt: z.string(),
  accessToken: z.string(),
  /** Null when the server sent none: then the login ends with the access token. */
  refreshToken: z.string().nullable(),
  /** Milliseconds since 1970; null: valid until the service rejects it. */
  expiresAtMs: z.number().nullable(),
});

export type Login = Readonly<z.output<typeof login>>;

const content = z.object({ version: z.literal(1), logins: z.array(login) });

const fileIn = (dataDir: string): string => join(dataDir, 'oauth-tokens.json');

/** In the order of their first login. */
export function readLogins(dataDir: string): readonly Login[] {
  let text: string;
  try {
    text = readFileSync(fileIn(dataDir), 'utf8');
  } catch (error) {
    if (ownCode(error) === 'ENOENT') return [];
    throw unreadable(dataDir);
  }
  try {
    return content.parse(JSON.parse(text)).logins;
  } catch {
    // The parsers' messages are dropped: they quote what they read.
    throw unreadable(dataDir);
  }
}

const unreadable = (dataDir: string): SlotstreamError =>
  new SlotstreamError('config', `The logins in ${fileIn(dataDir)} cannot be read.`, {
    hint: `Make the file readable, or remove it and log in again: ${slotstream} login`,
  });

export interface LockNeeds {
  readonly nowMs: () => number;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly random: () => number;
}

/** Longer than the holder of the lock may need for the authorization server. */
const lockTimeoutMs = 60_000;

/** Runs `change` while no other process, nor another part of this one, can change the file. */
export async function withLogins<Value>(
  needs: LockNeeds,
  { dataDir, signal }: { readonly dataDir: string; readonly signal?: AbortSignal | undefined },
  change: (logins: readonly Login[], save: (login: Login) => void) => Promise<Value>,
): Promise<Value> {
  makeFolder(dataDir);
  const endMs = needs.nowMs() + lockTimeoutMs;
  let lock = takeLock(join(dataDir, 'oauth-tokens.lock'));
  while (lock === undefined) {
    if (needs.nowMs() >= endMs)
      throw new SlotstreamError('service_unavailable', 'Another process has held the stored logins for a minute.', {
        hint: 'Check which other processes use this data folder, then try again.',
      });
    await needs.sleep(20 + needs.random() * 80, signal);
    lock = takeLock(join(dataDir, 'oauth-tokens.lock'));
  }
  try {
    const logins = readLogins(dataDir);
    return await change(logins, (changed) => writeLogins(dataDir, merged(logins, changed)));
  } finally {
    lock.release();
  }
}

function merged(logins: readonly Login[], changed: Login): readonly Login[] {
  const isSame = ({ user, clientId, authUrl }: Login): boolean =>
    user === changed.user && clientId === changed.clientId && authUrl === changed.authUrl;
  return logins.some(isSame) ? logins.map((login) => (isSame(login) ? changed : login)) : [...logins, changed];
}

/** A refresh token works once, so half a file, or the old one after a response, would mean logging in again. */
function writeLogins(dataDir: string, logins: readonly Login[]): void {
  replaceFile(fileIn(dataDir), `${JSON.stringify({ version: 1, logins }, null, 2)}\n`);
}

type GrantedTokens = Pick<Login, 'accessToken' | 'refreshToken' | 'expiresAtMs' | 'scopes'>;

/** What a response of the token endpoint changes in a login. RFC 6749 allows it to leave out the refresh token and the scopes: they stay. */
export function grantedLogin(
  { access_token, refresh_token, expires_in, scope }: Tokens,
  { nowMs, before }: { readonly nowMs: number; readonly before: Pick<GrantedTokens, 'refreshToken' | 'scopes'> },
): GrantedTokens {
  return {
    accessToken: access_token,
    refreshToken: refresh_token ?? before.refreshToken,
    // By our own clock: the server's may differ.
    expiresAtMs: expires_in === undefined ? null : nowMs + expires_in * 1000,
    scopes: scope === undefined ? before.scopes : scope.split(' ').filter((name) => name !== ''),
  };
}
