// The segments whose batches are all finished, which stay for a while: the database may go back to before it had them. They are no
// entries and need no room of others: the name of a file says since when it is kept and how long it is.
import { basename, dirname, join } from 'node:path';
import { ownCode } from '#src/base/errors.ts';
import type { SegmentFolders } from './segment-folders.ts';
import { keptEnding, type Segment } from './segment-writer.ts';

export interface KeptSegment {
  readonly path: string;
  readonly keptMs: number;
  readonly bytes: number;
}

export interface KeptSegments {
  bytes(): number;
  keep(segment: Segment): Promise<void>;
  /** One that another receiver kept. */
  add(path: string): void;
  /** Those that were kept since then are not kept any more: the caller has them. */
  take(sinceMs: number): readonly KeptSegment[];
  /** Deletes those that are old, and the oldest of the others until they are not larger than this. */
  trim(maxBytes: number): Promise<void>;
}

/** `keepMs`: 0 keeps none, also none of another receiver. */
export function createKeptSegments(
  folders: Pick<SegmentFolders, 'rename' | 'remove'>,
  { keepMs, nowMs }: { readonly keepMs: number; readonly nowMs: () => number },
): KeptSegments {
  /** Oldest first. */
  let kept: KeptSegment[] = [];
  const sizeOf = (segments: readonly KeptSegment[]): number => segments.reduce((sum, { bytes }) => sum + bytes, 0);
  const add = (segment: KeptSegment): void =>
    void (kept = [...kept, segment].toSorted((one, other) => one.keptMs - other.keptMs));

  return {
    bytes: () => sizeOf(kept),
    async keep({ path, bytes }) {
      const keptMs = nowMs();
      const [number = ''] = basename(path).split('.');
      const name = `${number}.${keptMs}.${bytes}${keptEnding}`;
      const to = join(dirname(path), name);
      try {
        await folders.rename(path, to);
      } catch (error) {
        // Someone has deleted it.
        if (ownCode(error) === 'ENOENT') return;
        throw error;
      }
      add({ path: to, keptMs, bytes });
    },
    add(path) {
      const [, keptMs = 0, bytes = 0] = basename(path).split('.').map(Number);
      add({ path, keptMs: keptMs || 0, bytes: bytes || 0 });
    },
    take(sinceMs) {
      const taken = kept.filter(({ keptMs }) => keptMs >= sinceMs);
      kept = kept.filter(({ keptMs }) => keptMs < sinceMs);
      return taken;
    },
    async trim(maxBytes) {
      const now = nowMs();
      // After a clock that was ahead, one from the future would stay.
      const isOld = ({ keptMs }: KeptSegment): boolean => Math.abs(now - keptMs) >= keepMs;
      for (const segment of kept)
        if (isOld(segment) || sizeOf(kept) > maxBytes) {
          await folders.remove(segment);
          kept = kept.filter((one) => one !== segment);
        }
    },
  };
}
