// Where the running process can be asked: its admin address, left in the data folder for the other verbs.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SlotstreamError } from '#src/errors.ts';

const fileOf = (dataDir: string) => join(dataDir, 'admin-address');

export function leaveAddress(dataDir: string, url: string): { remove(): void } {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  writeFileSync(fileOf(dataDir), `${url}\n`, { mode: 0o600 });
  return {
    remove() {
      // Another process may have started here since: its address stays.
      if (readAddress(dataDir) === url) rmSync(fileOf(dataDir), { force: true });
    },
  };
}

function readAddress(dataDir: string): string | undefined {
  try {
    return readFileSync(fileOf(dataDir), 'utf8').trim();
  } catch {
    return undefined;
  }
}

/** Asks the running process; the error says what to do when there is none. */
export async function askRunning(dataDir: string, { token, path }: { token: string; path: string }): Promise<unknown> {
  const url = readAddress(dataDir);
  const absent = (cause?: unknown) =>
    new SlotstreamError('not_running', `No Slotstream is running on ${dataDir}.`, {
      hint: 'Start one: npx slotstream start',
      cause,
    });
  if (url === undefined) throw absent();
  const answer = await fetch(new URL(path, url), {
    headers: { authorization: `Bearer ${token}` },
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
