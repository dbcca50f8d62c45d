// The segments whose batches are all finished, which stay for a while: the database may go back to before it had them. They are no
// entries and need no room of others: the name of a file says since when it is kept and how long it is.
import { basename, dirname, join } from 'node:path';
import { ownCode } from '#src/base/errors.ts';
import type { SegmentFolders } from './segment-folders.ts';
import { retainedEnding, type Segment } from './segment-writer.ts';

export interface RetainedSegment {
  readonly path: string;
  readonly retainedMs: number;
  readonly bytes: number;
}

export interface RetainedSegments {
  bytes(): number;
  keep(segment: Segment): Promise<void>;
  /** One that another receiver kept. */
  add(path: string): void;
  /** Those that were kept since then are not kept any more: the caller has them. */
  take(sinceMs: number): readonly RetainedSegment[];
  /** Deletes those that are old, and the oldest of the others until they are not larger than this. */
  trim(maxBytes: number): Promise<void>;
}

/** `keepMs`: 0 keeps none, also none of another receiver. */
export function createRetainedSegments(
  folders: Pick<SegmentFolders, 'rename' | 'remove'>,
  { keepMs, nowMs }: { readonly keepMs: number; readonly nowMs: () => number },
): RetainedSegments {
  /** Oldest first. */
  let retained: RetainedSegment[] = [];
  const sizeOf = (segments: readonly RetainedSegment[]): number => segments.reduce((sum, { bytes }) => sum + bytes, 0);
  const add = (segment: RetainedSegment): void =>
    void (retained = [...retained, segment].toSorted((one, other) => one.retainedMs - other.retainedMs));

  return {
    bytes: () => sizeOf(retained),
    async keep({ path, bytes }) {
      const retainedMs = nowMs();
      const [number = ''] = basename(path).split('.');
      const name = `${number}.${retainedMs}.${bytes}${retainedEnding}`;
      const to = join(dirname(path), name);
      try {
        await folders.rename(path, to);
      } catch (error) {
        // Someone has deleted it.
        if (ownCode(error) === 'ENOENT') return;
        throw error;
      }
      add({ path: to, retainedMs, bytes });
    },
    add(path) {
      const [, retainedMs = 0, bytes = 0] = basename(path).split('.').map(Number);
      add({ path, retainedMs: retainedMs || 0, bytes: bytes || 0 });
    },
    take(sinceMs) {
      const taken = retained.filter(({ retainedMs }) => retainedMs >= sinceMs);
      retained = retained.filter(({ retainedMs }) => retainedMs < sinceMs);
      return taken;
    },
    async trim(maxBytes) {
      const now = nowMs();
      // After a clock that was ahead, one from the future would stay.
      const isOld = ({ retainedMs }: RetainedSegment): boolean => Math.abs(now - retainedMs) >= keepMs;
      for (const segment of retained)
        if (isOld(segment) || sizeOf(retained) > maxBytes) {
          await folders.remove(segment);
          retained = retained.filter((one) => one !== segment);
        }
    },
  };
}
