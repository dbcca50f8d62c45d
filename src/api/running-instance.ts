// Finds the running processes from another command, by files in the data folder: the admin address of each and the admin token.
import { slotstream } from '#src/base/command.ts';
import { randomBytes } from 'node:crypto';
import { existsSync, globSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { createFile, replaceFile } from '#src/base/durable-file.ts';
import { codeOf, SlotstreamError } from '#src/base/errors.ts';

/** A shorter token could be guessed; an empty one would let everyone in. */
export const minTokenLength = 16;

/** Several processes may share a data folder. They have different ports, so each has a file of its own. */
const filePrefix = 'admin-address-';

interface AdminAddress {
  readonly url: string;
  readonly port: number;
  /** Whether the process has the tables. */
  readonly works: boolean;
}

export function writeAddress(dataDir: string, { url, port, works }: AdminAddress): { remove(): void } {
  const path = join(dataDir, `${filePrefix}${port}`);
  replaceFile(path, `${url}\n${process.pid}\n${works ? 'works' : 'receives'}\n${startOf(process.pid)}\n`);
  return { remove: () => rmSync(path, { force: true }) };
}

/**
 * The addresses of the processes that run; first one that has the tables. The file of a process that has ended (kill -9 removes no
 * file) does not count: another program may have the port, and another process the number, and must not get the token.
 */
function readAddresses(dataDir: string, onlyReceivers = false): readonly string[] {
  const found = globSync(`${filePrefix}*`, { cwd: dataDir }).flatMap((name) => {
    const [url, pid, role, start] = readLines(join(dataDir, name));
    return url !== undefined && isAlive(Number(pid)) && startOf(Number(pid)) === start
      ? [{ url, isSecond: role !== 'works' }]
      : [];
  });
  const listed = onlyReceivers ? found.filter(({ isSecond }) => isSecond) : found;
  return listed.toSorted((one, other) => Number(one.isSecond) - Number(other.isSecond)).map(({ url }) => url);
}

/** Whether a demo runs, which has a folder of its own within the data folder. */
export const runsDemo = (dataDir: string): boolean => readAddresses(demoFolder(dataDir)).length > 0;

export const demoFolder = (dataDir: string): string => join(dataDir, 'demo');

/** None where the file was removed meanwhile. */
function readLines(path: string): readonly string[] {
  try {
    return readFileSync(path, 'utf8').split('\n');
  } catch {
    return [];
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

/** When a process started, in ticks since the machine did; empty where the system has no such file. */
function startOf(pid: number): string {
  // The name of the program comes before, and may contain anything.
  const [stat = ''] = readLines(`/proc/${pid}/stat`);
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}

const loginAnswer = z.object({ login_url: z.string() });

/** A login link that a running process made for the holder of the token. */
export async function runningLoginLink(dataDir: string, token: () => string): Promise<string> {
  const [first] = await askRunning(dataDir, { token, path: '/login', method: 'POST' });
  return loginAnswer.parse(first).login_url;
}

interface RunningRequest {
  /** Is called only when a process runs, because it may create the token file. */
  readonly token: () => string;
  readonly path: string;
  readonly method?: 'POST';
  /** Only processes that receive and have no tables. */
  readonly onlyReceivers?: boolean;
}

/**
 * The JSON that each process on this folder answers; those that do not answer are left out, unless none does. The error says what to do
 * when there is no process.
 */
export async function askRunning(dataDir: string, request: RunningRequest): Promise<readonly unknown[]> {
  const answers: unknown[] = [];
  let failure: unknown = new SlotstreamError('not_running', `No Slotstream is running on ${dataDir}.`, {
    hint: `Start one: ${slotstream} start`,
  });
  for (const url of readAddresses(dataDir, request.onlyReceivers)) {
    const authorization = `Bearer ${request.token()}`;
    try {
      const response = await fetch(new URL(request.path, url), {
        method: request.method ?? 'GET',
        headers: { authorization },
        signal: AbortSignal.timeout(5_000),
      });
      if (response.ok) answers.push(await response.json());
      else failure = refusedBy(response);
    } catch {
      // It ended meanwhile, or is no Slotstream.
    }
  }
  if (answers.length === 0) throw failure;
  return answers;
}

function refusedBy({ status }: Response): SlotstreamError {
  if (status === 401)
    return new SlotstreamError('refused', 'The running process does not accept this admin token.', {
      hint: 'Use the ADMIN_TOKEN it was started with.',
    });
  return new SlotstreamError('refused', `The running process answered ${status}.`, { hint: 'Look at its log.' });
}

const adminTokenFile = ({ dataDir }: { readonly dataDir: string }): string => join(dataDir, 'admin-token');

/** The configured token, or one that is created once and stored in the data folder: reading the folder is enough to administer. */
export function openAdminToken({ adminToken, dataDir }: { adminToken?: string | undefined; dataDir: string }): string {
  if (adminToken !== undefined) return adminToken;
  const path = adminTokenFile({ dataDir });
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
