// The file system as segments use it. The simulation replaces it with a model of a disk that tears writes and loses what was not flushed.
import { fdatasync, write } from 'node:fs';
import { open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { makeFolder, syncFolder } from '#src/base/durable-file.ts';
import { takeLock, type ProcessLock } from '#src/base/process-lock.ts';

/** With callbacks: every batch waits for this, and promises cost as much processor time again. */
export interface DiskFile {
  /** Writes from `at` on; possibly only a part. */
  write(bytes: Buffer, at: number, done: (error: Error | null, written: number) => void): void;
  flush(done: (error: Error | null) => void): void;
  truncate(bytes: number): Promise<void>;
  close(): Promise<void>;
}

export interface Disk {
  open(path: string, flags: number, mode: number): Promise<DiskFile>;
  readFile(path: string): Promise<Buffer>;
  readFolder(path: string): Promise<readonly { readonly name: string; isDirectory(): boolean }[]>;
  rename(from: string, to: string): Promise<void>;
  /** A file, or a folder and what is in it. Nothing happens when it does not exist. */
  remove(path: string): Promise<void>;
  makeFolder(path: string): void;
  /** Flushes the names in a folder. */
  syncFolder(path: string): Promise<void>;
  takeLock(path: string): ProcessLock | undefined;
}

export const nodeDisk: Disk = {
  async open(path, flags, mode) {
    const handle = await open(path, flags, mode);
    const { fd } = handle;
    return {
      write: (bytes, at, done) => write(fd, bytes, at, bytes.length - at, null, done),
      flush: (done) => fdatasync(fd, done),
      truncate: (bytes) => handle.truncate(bytes),
      close: () => handle.close(),
    };
  },
  readFile: (path) => readFile(path),
  readFolder: (path) => readdir(path, { withFileTypes: true }),
  rename,
  remove: (path) => rm(path, { recursive: true, force: true }),
  makeFolder,
  syncFolder,
  takeLock,
};
