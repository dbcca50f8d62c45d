// A disk in memory with the faults of real ones: writes that take seconds, end early or fail, flushes that fail and lose what they
// were to write, a full disk, and a power cut that keeps what was flushed, and any first part of the rest.
import { constants } from 'node:fs';
import { basename, dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { callbackify } from 'node:util';
import type { Disk, DiskFile } from '#src/receiver/disk-log/disk.ts';
import type { Kernel, SimulatedProcess } from './kernel.ts';

export const diskModes = ['ok', 'slow', 'short', 'eio', 'flush', 'enospc', 'unreadable'] as const;
export type DiskMode = (typeof diskModes)[number];

/** Longer than two checks of the journal. */
const slowMs = 5000;

class File {
  /** What a reader sees. */
  bytes = Buffer.alloc(0);
  /** What is left after a power cut. */
  flushed = Buffer.alloc(0);
  /** Where bytes were dropped by a flush that failed: a later flush that succeeds does not write them. */
  private dropped: (readonly [from: number, end: number])[] = [];

  append(bytes: Buffer): void {
    this.bytes = Buffer.concat([this.bytes, bytes]);
  }

  flush(): void {
    this.flushed = Buffer.from(this.bytes);
    for (const [from, end] of this.dropped) this.flushed.fill(0, from, end);
  }

  failFlush(): void {
    this.dropped.push([this.flushed.length, this.bytes.length]);
  }

  /** The power is cut: any first part of what was not flushed may be on the disk, or room for it. */
  cutPower(below: (limit: number) => number): void {
    const rest = this.bytes.subarray(this.flushed.length);
    const first = rest.subarray(0, below(rest.length + 1));
    const allotted = Buffer.alloc(below(3) === 0 ? below(rest.length - first.length + 1) : 0);
    // A file that was truncated may have its former length again.
    const isCut = this.bytes.length < this.flushed.length && below(2) === 0;
    this.bytes = isCut ? Buffer.from(this.bytes) : Buffer.concat([this.flushed, first, allotted]);
    this.flushed = Buffer.from(this.bytes);
    this.dropped = [];
  }
}

class Folder {
  entries = new Map<string, File | Folder>();
  flushed = new Map<string, File | Folder>();

  flush(): void {
    this.flushed = new Map(this.entries);
  }

  /** Each name that was added or removed since the last flush is on the disk, or is not. */
  cutPower(below: (limit: number) => number): void {
    const after = new Map<string, File | Folder>();
    for (const name of new Set([...this.flushed.keys(), ...this.entries.keys()])) {
      const [before, now] = [this.flushed.get(name), this.entries.get(name)];
      const node = before === now || below(2) === 0 ? now : before;
      if (node !== undefined) after.set(name, node);
    }
    for (const node of after.values()) node.cutPower(below);
    this.entries = after;
    this.flush();
  }
}

const failure = (code: string): Error => Object.assign(new Error(code), { code });

function callBack<Value>(promise: Promise<Value>, done: (error: Error | null, value: Value) => void): void {
  callbackify(() => promise)((error, value) => done(error, value));
}

export class ModelDisk {
  mode: DiskMode = 'ok';
  private readonly kernel: Kernel;
  private readonly root = new Folder();
  private readonly locks = new Map<string, SimulatedProcess>();
  /** A process lists a folder. */
  isListing = false;
  private readonly writing = new Set<{ file: File; bytes: Buffer; owner: SimulatedProcess }>();

  constructor(kernel: Kernel) {
    this.kernel = kernel;
    // The data folder is there when the process starts, and its name is flushed.
    this.makeFolder('/data');
    this.root.flush();
  }

  get isWriting(): boolean {
    return this.writing.size > 0;
  }

  /** The process ends: of a write that is under way, any first part is done. */
  crashed(process: SimulatedProcess): void {
    this.isListing = false;
    for (const each of this.writing) {
      if (each.owner !== process) continue;
      each.file.append(each.bytes.subarray(0, this.kernel.below(each.bytes.length + 1)));
      this.writing.delete(each);
    }
  }

  cutPower(): void {
    this.root.cutPower((limit) => this.kernel.below(limit));
  }

  /** The paths of all files. */
  files(folder = this.root, path = ''): string[] {
    return [...folder.entries].flatMap(([name, node]) =>
      node instanceof Folder ? this.files(node, `${path}/${name}`) : [`${path}/${name}`],
    );
  }

  /** As a process sees it. */
  asDisk(): Disk {
    const { kernel } = this;
    return {
      open: async (path, flags) => {
        await kernel.point('open');
        this.failSometimes(['eio', 'enospc']);
        const folder = this.folder(dirname(path));
        if (folder.entries.has(basename(path)) && flags & constants.O_EXCL) throw failure('EEXIST');
        const file = new File();
        folder.entries.set(basename(path), file);
        return this.opened(file, (flags & constants.O_DSYNC) !== 0);
      },
      readFile: async (path) => {
        await kernel.point('read');
        this.failSometimes(['unreadable']);
        const node = this.node(path);
        if (!(node instanceof File)) throw failure('ENOENT');
        return Buffer.from(node.bytes);
      },
      readFolder: async (path) => {
        this.isListing = true;
        await kernel.point('list');
        this.isListing = false;
        this.failSometimes(['unreadable']);
        const { entries } = this.folder(path);
        return [...entries].map(([name, node]) => ({ name, isDirectory: () => node instanceof Folder }));
      },
      // A file system with a journal does it at once, and in both folders or in none.
      rename: async (from, to) => {
        await kernel.point('rename');
        const [source, target] = [this.folder(dirname(from)), this.folder(dirname(to))];
        const node = source.entries.get(basename(from));
        if (node === undefined) throw failure('ENOENT');
        for (const names of [source.entries, source.flushed]) names.delete(basename(from));
        for (const names of [target.entries, target.flushed]) names.set(basename(to), node);
      },
      remove: async (path) => {
        await kernel.point('remove');
        const node = this.node(path);
        if (node instanceof Folder) node.entries.clear();
        if (node !== undefined) this.folder(dirname(path)).entries.delete(basename(path));
      },
      makeFolder: (path) => {
        this.failSometimes(['enospc']);
        this.makeFolder(path);
      },
      syncFolder: async (path) => {
        await kernel.point('flush names');
        this.failSometimes(['flush']);
        this.folder(path).flush();
      },
      takeLock: (path) => {
        const owner = kernel.current;
        if (!(this.node(dirname(path)) instanceof Folder) || this.locks.get(path)?.alive) return undefined;
        this.locks.set(path, owner);
        return { release: () => void this.locks.delete(path) };
      },
    };
  }

  private opened(file: File, isWrittenThrough: boolean): DiskFile {
    const { kernel } = this;
    const flush = (): void => {
      if (!this.fails(['flush'])) return file.flush();
      file.failFlush();
      throw failure('EIO');
    };
    const write = async (bytes: Buffer): Promise<number> => {
      const underWay = { file, bytes, owner: kernel.current };
      this.writing.add(underWay);
      await kernel.point('write');
      if (this.mode === 'slow') await sleep(slowMs);
      this.writing.delete(underWay);
      const isShort = this.fails(['short', 'eio', 'enospc']);
      const written = isShort ? kernel.below(bytes.length) : bytes.length;
      file.append(bytes.subarray(0, written));
      if (isShort && this.mode !== 'short') throw failure(this.mode.toUpperCase());
      if (isWrittenThrough) flush();
      return written;
    };
    return {
      write: (bytes, at, done) => callBack(write(bytes.subarray(at)), done),
      flush: (done) => callBack(kernel.point('flush').then(flush), done),
      truncate: async (bytes) => {
        await kernel.point('truncate');
        this.failSometimes(['eio']);
        file.bytes = file.bytes.subarray(0, bytes);
      },
      close: () => kernel.point('close'),
    };
  }

  private fails(modes: readonly DiskMode[]): boolean {
    return modes.includes(this.mode) && this.kernel.below(2) === 0;
  }

  private failSometimes(modes: readonly DiskMode[]): void {
    if (this.fails(modes)) throw failure(this.mode === 'enospc' ? 'ENOSPC' : 'EIO');
  }

  private node(path: string): File | Folder | undefined {
    let node: File | Folder | undefined = this.root;
    for (const name of path.split('/').filter(Boolean))
      node = node instanceof Folder ? node.entries.get(name) : undefined;
    return node;
  }

  private folder(path: string): Folder {
    const node = this.node(path);
    if (!(node instanceof Folder)) throw failure('ENOENT');
    return node;
  }

  private makeFolder(path: string): void {
    if (this.node(path) instanceof Folder) return;
    this.makeFolder(dirname(path));
    this.folder(dirname(path)).entries.set(basename(path), new Folder());
  }
}
