// Where an export is written. A file appears under its name only when it is complete, and only its owner can read it, because
// it contains personal data.
import { randomBytes } from 'node:crypto';
import { mkdir, open, realpath, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { codeOf, SlotstreamError } from '#src/base/errors.ts';
import { syncFolder } from '#src/base/durable-file.ts';
import type { Output } from './format.ts';

export interface Destination extends Output, AsyncDisposable {
  readonly bytes: number;
  /** Where there can be several objects: the next one, in this folder. */
  startObject?(folder: string): Promise<void>;
  /** Call when everything is written: renames the file into place. Disposing before this call leaves nothing behind. */
  complete(report?: object): Promise<void>;
  /** Where it wrote a run of objects, and how many. */
  readonly published?: { readonly run: string; readonly objects: number } | undefined;
}

/** What an export must not replace: the program's own files. */
export interface OwnFiles {
  readonly dataDir: string;
  /** The SQLite database, which may be in another folder. */
  readonly database?: string | undefined;
}

export async function openFileOutput(name: string, own: OwnFiles): Promise<Destination> {
  const path = await realPath(name);
  await refuseOwn(name, path, own);
  const partial = `${path}.partial-${randomBytes(6).toString('hex')}`;
  // Fails if the path exists: in a shared folder it may be a link that another user created.
  const file = await explainFailure(name, async () => {
    await makeFolderOf(path);
    return open(partial, 'wx', 0o600);
  });
  let bytes = 0;
  let state: 'open' | 'closed' | 'complete' = 'open';
  const close = async () => {
    if (state === 'open') await file.close();
    state = 'closed';
  };
  return {
    get bytes() {
      return bytes;
    },
    async write(chunk) {
      await explainFailure(name, () => writeWhole(file, chunk));
      bytes += chunk.byteLength;
    },
    complete: () =>
      explainFailure(name, async () => {
        await file.chmod(0o600);
        await file.sync();
        await close();
        await rename(partial, path);
        state = 'complete';
        // Without it a power cut may undo the rename. Not every file system can flush a folder; then it stays undone.
        await syncFolder(dirname(path)).catch(() => undefined);
      }),
    async [Symbol.asyncDispose]() {
      if (state === 'complete') return;
      await close();
      await rm(partial, { force: true });
    },
  };
}

/** For formats that write whole lines. `write` resolves once the reader has taken them, so that a slow reader costs no memory. */
export function openTextOutput(write: (text: string) => Promise<void>): Destination {
  let bytes = 0;
  return {
    get bytes() {
      return bytes;
    },
    write(chunk) {
      bytes += chunk.byteLength;
      return write(Buffer.from(chunk).toString());
    },
    complete: async () => {},
    [Symbol.asyncDispose]: async () => {},
  };
}

export function throwIfStopped(signal: AbortSignal | undefined): void {
  if (signal?.aborted)
    throw new SlotstreamError('stopped', 'Stopped before the export was complete. An existing file was not changed.', {
      hint: 'Run it again.',
    });
}

async function writeWhole(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let from = 0; from < chunk.byteLength;) from += (await file.write(chunk, from)).bytesWritten;
}

/** Follows links: the file they point to is replaced. */
async function realPath(name: string): Promise<string> {
  const found = await stat(name).catch(() => undefined);
  if (found === undefined) return name;
  if (found.isFile()) return realpath(name);
  throw new SlotstreamError('usage', `${name} is not a regular file, so it cannot be replaced.`, {
    hint: found.isDirectory() ? 'Name a file in this folder.' : 'To write to a pipe, use --out - and redirect.',
  });
}

async function refuseOwn(name: string, path: string, { dataDir, database }: OwnFiles): Promise<void> {
  const target = await resolvedPath(path);
  const below = relative(await resolvedPath(dataDir), target);
  if (below !== '..' && !below.startsWith(`..${sep}`) && !isAbsolute(below))
    throw new SlotstreamError('usage', `${name} is in DATA_DIR, where the files are that Slotstream runs on.`, {
      hint: 'Name a file in another folder, or use --out - and redirect.',
    });
  const file = database === undefined ? undefined : await resolvedPath(database);
  const isOwn = file !== undefined && ['', '-wal', '-shm', '-journal'].some((end) => target === file + end);
  if (isOwn || (await explainFailure(name, () => isSqlite(path))))
    throw new SlotstreamError(
      'usage',
      `${name} is ${isOwn ? 'the database of the mirror' : 'a SQLite database'}, which an export does not replace.`,
      {
        hint: 'Name another file.',
      },
    );
}

/** Makes the folder itself; where the one above is missing too, the path is probably mistyped. */
async function makeFolderOf(path: string): Promise<void> {
  const folder = dirname(path);
  try {
    await mkdir(folder);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return;
    if (codeOf(error) !== 'ENOENT') throw error;
    throw new SlotstreamError('output', `There is no folder ${dirname(folder)}, so nothing was written.`, {
      hint: `Correct the path, or make the folder: mkdir -p ${folder}`,
    });
  }
}

/** Where a file is or would be, whatever links lead there. */
async function resolvedPath(path: string): Promise<string> {
  const whole = resolve(path);
  const found = await realpath(whole).catch(() => undefined);
  return found ?? (dirname(whole) === whole ? whole : join(await resolvedPath(dirname(whole)), basename(whole)));
}

const sqliteHeader = 'SQLite format 3\0';

async function isSqlite(path: string): Promise<boolean> {
  try {
    await using file = await open(path, 'r');
    const { buffer } = await file.read(Buffer.alloc(sqliteHeader.length), 0, sqliteHeader.length, 0);
    return buffer.toString('latin1') === sqliteHeader;
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return false;
    throw error;
  }
}

async function explainFailure<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SlotstreamError) throw error;
    throw new SlotstreamError(
      'output',
      `${name} cannot be written (${codeOf(error)}). An existing file was not changed.`,
      {
        hint: 'Check that the folder is writable and has room.',
        cause: error,
      },
    );
  }
}
