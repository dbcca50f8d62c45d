// The files and folders of the simulated disk: what a reader sees, and what is left of it after a power cut.

export class File {
  /** What a reader sees. */
  bytes = Buffer.alloc(0);
  /** What is left after a power cut. */
  flushed = Buffer.alloc(0);
  /** Where bytes were dropped by a flush that failed: a later flush that succeeds does not write them. */
  private dropped: (readonly [from: number, end: number])[] = [];
  /** A record in it cannot be read any more; and whether a process has seen that. */
  damage: 'none' | 'unseen' | 'seen' = 'none';

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

  /** Changes one byte on the disk, of a record that was flushed. */
  flipByte(at: number): void {
    for (const each of [this.bytes, this.flushed]) each[at] = (each[at] ?? 0) ^ 0xff;
    this.damage = 'unseen';
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

export class Folder {
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

/** A rename that a power cut can undo. */
export interface Rename {
  readonly source: Folder;
  readonly target: Folder;
  readonly from: string;
  readonly to: string;
  readonly node: File | Folder;
}

/** Where the content of each whole record begins and ends: a head of 12 bytes starts with the length. */
export function recordsIn(bytes: Buffer): (readonly [from: number, end: number])[] {
  const found: (readonly [number, number])[] = [];
  for (let at = 0; at + 12 < bytes.length;) {
    const [from, end] = [at + 12, at + 12 + bytes.readUInt32LE(at)];
    if (end === from || end > bytes.length) break;
    found.push([from, end]);
    at = end;
  }
  return found;
}
