// Where logins are kept: one file, readable by its owner only, replaced whole, and changed by one process at a time.
import { mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { syncFolderNow, writeDraft } from '#src/base/durable-file.ts';
import { ownCode, SlotstreamError } from '#src/base/errors.ts';
import { takeLock } from '#src/base/process-lock.ts';

const login = z.object({
  /** The user's URI: one entry each. */
  user: z.string(),
  name: z.string().nullable(),
  organization: z.string().nullable(),
  scopes: z.array(z.string()).readonly(),
  /** Whose application, of which server: a login is worth nothing to another. */
  clientId: z.string(),
  authUrl: z.string(),
  loggedInAt: z.string(),
  accessToken: z.string(),
  /** Null when the server gave none: then it ends with the access token. */
  refreshToken: z.string().nullable(),
  /** Milliseconds since 1970; null: until it is refused. */
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
    // Neither parser's words are kept: they quote what they read.
    throw unreadable(dataDir);
  }
}

const unreadable = (dataDir: string): SlotstreamError =>
  new SlotstreamError('config', `The logins in ${fileIn(dataDir)} cannot be read.`, {
    hint: 'Make the file readable, or remove it and log in again: npx slotstream login',
  });

export interface LockNeeds {
  readonly nowMs: () => number;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly random: () => number;
}

/** As long as the holder may need to ask the authorization server, and some. */
const patienceMs = 60_000;

/** Runs `change` while no other process (nor another part of this one) may touch the file. */
export async function withLogins<Value>(
  needs: LockNeeds,
  { dataDir, signal }: { readonly dataDir: string; readonly signal?: AbortSignal | undefined },
  change: (logins: readonly Login[], save: (login: Login) => void) => Promise<Value>,
): Promise<Value> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const deadlineMs = needs.nowMs() + patienceMs;
  let lock = takeLock(join(dataDir, 'oauth-tokens.lock'));
  while (lock === undefined) {
    if (needs.nowMs() >= deadlineMs)
      throw new SlotstreamError('service_unavailable', 'Another process has held the stored logins for a minute.', {
        hint: 'Look what else runs on this data folder, then try again.',
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

/**
 * Writes a draft, renames it over the old file and flushes the folder: after a crash there is the old file or the new one. A
 * refresh token works once, so half a file, or the old one after a response, would mean logging in again.
 */
function writeLogins(dataDir: string, logins: readonly Login[]): void {
  const draft = writeDraft(fileIn(dataDir), `${JSON.stringify({ version: 1, logins }, null, 2)}\n`);
  try {
    renameSync(draft, fileIn(dataDir));
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  syncFolderNow(dataDir);
}
