// Where the running process can be asked: its admin address, left in the data folder for the other verbs.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SlotstreamError } from '#src/base/errors.ts';

const fileOf = (dataDir: string) => join(dataDir, 'admin-address');

export function leaveAddress(dataDir: string, url: string): { remove(): void } {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  writeFileSync(fileOf(dataDir), `${url}\n${process.pid}\n`, { mode: 0o600 });
  return {
    remove() {
      // Another process may have started here since: its address stays.
      if (readAddress(dataDir) === url) rmSync(fileOf(dataDir), { force: true });
    },
  };
}

/** Undefined also when its process is gone (kill -9 removes nothing): whoever has the port now must not see the token. */
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
    // There, though not ours to signal.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** What logs a person in when it is opened in a browser. It holds the token: for a terminal, never for a log. */
export const loginLink = (url: string, token: string): string => `${url}/?token=${encodeURIComponent(token)}`;

/** The login link of the running process, once it has shown that it takes the token. */
export async function askLoginLink(dataDir: string, token: () => string): Promise<string> {
  await askRunning(dataDir, { token, path: '/api/status' });
  return loginLink(readAddress(dataDir) as string, token());
}

interface Question {
  /** Asked for once there is somebody to show it to: it may be made then, and where nobody is nothing is to be made. */
  readonly token: () => string;
  readonly path: string;
}

/** Asks the running process; the error says what to do when there is none. */
export async function askRunning(dataDir: string, { token, path }: Question): Promise<unknown> {
  const url = readAddress(dataDir);
  const absent = (cause?: unknown) =>
    new SlotstreamError('not_running', `No Slotstream is running on ${dataDir}.`, {
      hint: 'Start one: npx slotstream start',
      cause,
    });
  if (url === undefined) throw absent();
  const answer = await fetch(new URL(path, url), {
    headers: { authorization: `Bearer ${token()}` },
    signal: AbortSignal.timeout(5_000),
  }).catch((error: unknown) => {
    throw absent(error);
  });
  if (answer.status === 401) {
    throw new SlotstreamError('refused', 'The running process does not accept this admin token.', {
      hint: 'Use the ADMIN_TOKEN it was started with.',
    });
  }
  if (!answer.ok)
    throw new SlotstreamError('refused', `The running process answered ${answer.status}.`, {
      hint: 'Look at its log.',
    });
  return answer.json();
}
