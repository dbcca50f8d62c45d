// A disk in memory with the faults of real ones: writes that take seconds, end early or fail, flushes that fail and lose what they
// were to write, a full disk, and a power cut that keeps what was flushed, and any first part of the rest.
import { constants } from 'node:fs';
import { basename, dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { callbackify } from 'node:util';
import { unpackBatch } from '#src/queue/batch-codec.ts';
import type { DeliveryBatch } from '#src/queue/contract.ts';
import type { Disk, DiskFile } from '#src/receiver/disk-log/disk.ts';
import type { Kernel, SimulatedProcess } from './kernel.ts';
import { File, Folder, recordsIn, type Rename } from './model-files.ts';

export const diskModes = ['ok', 'slow', 'short', 'eio', 'flush', 'enospc', 'unreadable'] as const;
export type DiskMode = (typeof diskModes)[number];

/** Longer than two checks of the disk log. */
const slowMs = 5000;

const failure = (code: string): Error => Object.assign(new Error(code), { code });

export class ModelDisk {
  mode: DiskMode = 'ok';
  private readonly kernel: Kernel;
  private readonly root = new Folder();
  private readonly locks = new Map<string, SimulatedProcess>();
  /** A process lists a folder. */
  isListing = false;
  private readonly renames = new Set<Rename>();
  private readonly damaged = new Set<File>();
  /** The bodies in damaged records. */
  readonly unsafe = new Set<string>();
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
    // A file system with a journal does a rename in both folders or in none.
    for (const { source, target, from, to, node } of this.renames) {
      if (this.kernel.below(2) === 0) continue;
      target.entries.delete(to);
      source.entries.set(from, node);
    }
    this.endRenames(() => true);
    this.root.cutPower((limit) => this.kernel.below(limit));
  }

  /** All names in both folders are on the disk. */
  private endRenames(isMeant: (rename: Rename) => boolean): void {
    for (const rename of this.renames) {
      if (!isMeant(rename)) continue;
      const { source, target, from, to } = rename;
      for (const [folder, name] of [[source, from] as const, [target, to] as const]) {
        const node = folder.entries.get(name);
        if (node === undefined) folder.flushed.delete(name);
        else folder.flushed.set(name, node);
      }
      this.renames.delete(rename);
    }
  }

  /** All files by their paths. */
  files(folder = this.root, path = ''): Map<string, File> {
    const found = new Map<string, File>();
    for (const [name, node] of folder.entries)
      if (node instanceof File) found.set(`${path}/${name}`, node);
      else for (const [below, file] of this.files(node, `${path}/${name}`)) found.set(below, file);
    return found;
  }

  /** A record of a file that was flushed becomes unreadable. */
  damageRecord(): void {
    const records = [...this.files().values()].flatMap((file) =>
      file.damage === 'none' ? recordsIn(file.flushed).map(([from, end]) => ({ file, from, end })) : [],
    );
    const record = records[this.kernel.below(records.length)];
    if (record === undefined) return;
    const { file, from, end } = record;
    const content = unpackBatch(JSON.parse(file.flushed.toString('utf8', from, end))) as DeliveryBatch;
    for (const { body } of content.deliveries) this.unsafe.add(body);
    file.flipByte(from + this.kernel.below(end - from));
    this.damaged.add(file);
  }

  /** Files with a damaged record that a process has seen, and that are not on the disk. */
  lostFiles(): number {
    const present = new Set(this.files().values());
    return [...this.damaged].filter((file) => file.damage === 'seen' && !present.has(file)).length;
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
        if (node.damage === 'unseen') node.damage = 'seen';
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
      rename: async (from, to) => {
        await kernel.point('rename');
        const [source, target] = [this.folder(dirname(from)), this.folder(dirname(to))];
        const node = source.entries.get(basename(from));
        if (node === undefined) throw failure('ENOENT');
        source.entries.delete(basename(from));
        target.entries.set(basename(to), node);
        this.renames.add({ source, target, from: basename(from), to: basename(to), node });
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
        const folder = this.folder(path);
        this.endRenames(({ source, target }) => source === folder || target === folder);
        folder.flush();
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
      write: (bytes, at, done) => callbackify(() => write(bytes.subarray(at)))(done),
      flush: (done) => callbackify(() => kernel.point('flush').then(flush))(done),
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
