// Finds the running process from another command, by two files in the data folder: its admin address and the admin token.
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFile } from '#src/base/durable-file.ts';
import { codeOf, SlotstreamError } from '#src/base/errors.ts';

/** A shorter token could be guessed; an empty one would let everyone in. */
export const minTokenLength = 16;

const fileOf = (dataDir: string) => join(dataDir, 'admin-address');

export function writeAddress(dataDir: string, url: string): { remove(): void } {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  writeFileSync(fileOf(dataDir), `${url}\n${process.pid}\n`, { mode: 0o600 });
  return {
    remove() {
      // Another process may have started since then; its address stays.
      if (readAddress(dataDir) === url) rmSync(fileOf(dataDir), { force: true });
    },
  };
}

/** Undefined also when the process has ended (kill -9 removes no file): another program may have the port and must not get the token. */
function readAddress(dataDir: string): string | undefined {
  try {
    const [url, pid] = readFileSync(fileOf(dataDir), 'utf8').split('\n');
    return isAlive(Number(pid)) ? url : undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // It exists, but belongs to another user.
    return codeOf(error) === 'EPERM';
  }
}

/** A link that logs a browser in. It contains the token: it may be printed to a terminal, never to a log. */
export const loginLink = (url: string, token: string): string => `${url}/?token=${encodeURIComponent(token)}`;

/** The login link of the running process, after the process has accepted the token. */
export async function runningLoginLink(dataDir: string, token: () => string): Promise<string> {
  const { url } = await requestRunning(dataDir, { token, path: '/api/status' });
  return loginLink(url, token());
}

interface RunningRequest {
  /** Is called only when a process runs, because it may create the token file. */
  readonly token: () => string;
  readonly path: string;
}

/** The JSON that the running process answers; the error says what to do when there is no process. */
export async function askRunning(dataDir: string, request: RunningRequest): Promise<unknown> {
  return (await requestRunning(dataDir, request)).response.json();
}

async function requestRunning(
  dataDir: string,
  { token, path }: RunningRequest,
): Promise<{ readonly url: string; readonly response: Response }> {
  const url = readAddress(dataDir);
  const absent = (cause?: unknown) =>
    new SlotstreamError('not_running', `No Slotstream is running on ${dataDir}.`, {
      hint: 'Start one: npx slotstream start',
      cause,
    });
  if (url === undefined) throw absent();
  const response = await fetch(new URL(path, url), {
    headers: { authorization: `Bearer ${token()}` },
    signal: AbortSignal.timeout(5_000),
  }).catch((error: unknown) => {
    throw absent(error);
  });
  if (response.status === 401) {
    throw new SlotstreamError('refused', 'The running process does not accept this admin token.', {
      hint: 'Use the ADMIN_TOKEN it was started with.',
    });
  }
  if (!response.ok)
    throw new SlotstreamError('refused', `The running process answered ${response.status}.`, {
      hint: 'Look at its log.',
    });
  return { url, response };
}

/** The configured token, or one that is created once and stored in the data folder: reading the folder is enough to administer. */
export function openAdminToken({ adminToken, dataDir }: { adminToken?: string | undefined; dataDir: string }): string {
  if (adminToken !== undefined) return adminToken;
  const path = join(dataDir, 'admin-token');
  if (!existsSync(path)) createFile(path, `${randomBytes(32).toString('base64url')}\n`);
  const token = readFileSync(path, 'utf8').trim();
  if (token.length >= minTokenLength) return token;
  throw new SlotstreamError(
    'config',
    `The file ${path} contains no admin token of ${minTokenLength} characters or more.`,
    {
      hint: 'Remove the file: the next start creates a new token. Or set ADMIN_TOKEN.',
    },
  );
}
