// Which batch is in which segment of the disk log, and which segments are still needed. One folder per receiver under the root.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { ProcessLock } from '#src/base/process-lock.ts';
import type { throttled } from '#src/observability/log.ts';
import type { DeliveryBatch, PackedBatch } from '#src/queue/contract.ts';
import type { Disk } from './disk.ts';
import { encodeRecord, type SegmentContent } from './segment.ts';
import { createRetainedSegments, type RetainedSegment } from './retained-segments.ts';
import { openSegmentFolders } from './segment-folders.ts';
import { createSegmentWriter, retainedEnding, type Segment } from './segment-writer.ts';

/** A batch under the id that its job has in the queue. */
export interface StoredBatch {
  readonly id: string;
  readonly content: DeliveryBatch | PackedBatch;
  /** None in a record that was only written to try the disk. */
  readonly deliveries: number;
}

export interface BatchStoreOptions {
  readonly root: string;
  /** A segment is deleted as a whole, so smaller ones mean fewer batches that are enqueued again after a crash. */
  readonly segmentBytes?: number;
  /** How long a segment stays when every record of it is settled; none where it is absent. */
  readonly keepMs?: number;
  readonly nowMs?: () => number;
  readonly disk?: Disk;
}

export interface BatchStore {
  /** A new id, unlike that of any other receiver. */
  newId(): string;
  /** Without what is kept. */
  bytes(): number;
  /** True when the last append failed. */
  isFailing(): boolean;
  /** Resolves with the segment once the batch is on disk, or with undefined when the disk fails. Each record must be settled once. */
  append(batch: StoredBatch): Promise<Segment | undefined>;
  /** One record of the segment is not needed any more. */
  settle(segment: Segment): void;
  /** The readable batches of the segment; undefined when it cannot be read at present. */
  read(segment: Segment): Promise<readonly StoredBatch[] | undefined>;
  /** One record of the segment is needed again. */
  unsettle(segment: Segment): void;
  /** Deletes the segments of which every record is settled, or keeps them as long as all together are not larger than this. */
  clean(maxBytes: number): Promise<void>;
  /** Takes over the segments of receivers that crashed. What they kept stays kept. */
  adopt(): Promise<AdoptedSegments>;
  /** Every segment that is not kept, and those that were kept since then: their records are settled and can be unsettled. */
  reopen(sinceMs: number): Promise<readonly AdoptedSegment[]>;
  close(): Promise<void>;
}

export interface AdoptedSegment {
  readonly segment: Segment;
  /** Without their content, which stays on disk. */
  readonly batches: readonly Pick<StoredBatch, 'id' | 'deliveries'>[];
}

export interface AdoptedSegments {
  readonly segments: readonly AdoptedSegment[];
  readonly retained: number;
}

/** After so many cleanings a segment gets no more records, so that it can be deleted soon. */
const cleaningsPerSegment = 10;

export function openBatchStore(log: ReturnType<typeof throttled>, options: BatchStoreOptions): BatchStore {
  const { root, segmentBytes = 4 * 1024 ** 2, keepMs = 0, nowMs = Date.now, disk } = options;
  const receiver = randomUUID();
  const own = join(root, receiver);
  const locks = new Map<string, ProcessLock>();
  const folders = openSegmentFolders({ root, own, locks, log, disk });
  const retained = createRetainedSegments(folders, { keepMs, nowMs });
  const sealed = new Set<Segment>();
  const onSealed = (segment: Segment): void => void sealed.add(segment);
  const writer = createSegmentWriter({ folder: own, segmentBytes, locks, onSealed, disk });
  const settled = new Map<Segment, number>();
  let young: { readonly segment: Segment | undefined; cleanings: number } = { segment: undefined, cleanings: 0 };
  let issued = 0;
  let isFailing = false;
  /** Segments of receivers that crashed which could not be read yet: the next `adopt` tries again. */
  let unread: string[] = [];

  async function append({ id, content, deliveries }: StoredBatch): Promise<Segment | undefined> {
    try {
      const segment = await writer.append(encodeRecord({ id, ...content }, deliveries));
      isFailing = false;
      return segment;
    } catch (err) {
      isFailing = true;
      log('error', 'the disk log cannot be written', { err });
      return undefined;
    }
  }

  async function readSegment(path: string): Promise<SegmentContent | undefined> {
    try {
      return await folders.read(path);
    } catch (err) {
      log('error', 'a file of the disk log cannot be read; retrying', { err });
      return undefined;
    }
  }

  /** Deliveries leave the disk soon after they are not needed there, also where few arrive. */
  async function sealCurrent(): Promise<void> {
    const { current } = writer;
    if (current !== young.segment) young = { segment: current, cleanings: 0 };
    young.cleanings += 1;
    const isUnneeded = current && settled.get(current) === current.records;
    if (isUnneeded || young.cleanings > cleaningsPerSegment) await writer.seal();
  }

  async function removeSettled(): Promise<void> {
    for (const segment of sealed) {
      if ((settled.get(segment) ?? 0) < segment.records) continue;
      if (keepMs > 0 && !folders.isDamaged(segment.path)) await retained.keep(segment);
      else await folders.remove(segment);
      sealed.delete(segment);
      settled.delete(segment);
    }
  }

  const countSettled = (segment: Segment, by: number): void =>
    void settled.set(segment, (settled.get(segment) ?? 0) + by);

  function bytes(): number {
    let sum = writer.current?.bytes ?? 0;
    for (const segment of sealed) if (!segment.path.endsWith(retainedEnding)) sum += segment.bytes;
    return sum;
  }

  const batchesIn = async (path: string): Promise<AdoptedSegment['batches'] | undefined> =>
    (await readSegment(path))?.records.map(batchIn).map(({ id, deliveries }) => ({ id, deliveries }));

  async function openAgain({ path, bytes }: RetainedSegment): Promise<AdoptedSegment | undefined> {
    const batches = await batchesIn(path);
    if (!batches) return undefined;
    const segment = { path, records: batches.length, bytes };
    sealed.add(segment);
    countSettled(segment, segment.records);
    return { segment, batches };
  }

  return {
    newId() {
      issued += 1;
      return `${receiver}-${issued}`;
    },
    bytes,
    isFailing: () => isFailing,
    append,
    settle: (segment) => countSettled(segment, 1),
    unsettle: (segment) => countSettled(segment, -1),
    read: async ({ path }) => (await readSegment(path))?.records.map(batchIn),
    async clean(maxBytes) {
      await sealCurrent();
      await removeSettled();
      await retained.trim(maxBytes - bytes());
    },
    async adopt() {
      const adopted: AdoptedSegment[] = [];
      const found = await folders.adopt();
      const retainedPaths = found.filter((path) => path.endsWith(retainedEnding));
      for (const path of retainedPaths) retained.add(path);
      const toRead = [...unread, ...found.filter((path) => !retainedPaths.includes(path))];
      unread = [];
      for (const path of toRead) {
        const content = await readSegment(path);
        if (!content) {
          unread.push(path);
          continue;
        }
        const batches = content.records.map(batchIn);
        const segment = { path, records: batches.length, bytes: content.bytes };
        sealed.add(segment);
        adopted.push({ segment, batches: batches.map(({ id, deliveries }) => ({ id, deliveries })) });
      }
      return { segments: adopted, retained: retainedPaths.length };
    },
    async reopen(sinceMs) {
      await writer.seal();
      const reopened: AdoptedSegment[] = [];
      for (const segment of sealed) {
        const batches = await batchesIn(segment.path);
        if (batches) reopened.push({ segment, batches });
      }
      for (const segment of retained.take(sinceMs)) {
        const opened = await openAgain(segment);
        if (opened) reopened.push(opened);
        else retained.add(segment.path);
      }
      return reopened;
    },
    async close() {
      await writer.seal();
      await removeSettled().catch(() => undefined);
      await folders.close();
    },
  };
}

function batchIn({ content, deliveries }: { readonly content: Buffer; readonly deliveries: number }): StoredBatch {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `append` wrote it and its checksum is right
  const { id, ...batch } = JSON.parse(content.toString('utf8')) as { id: string } & (DeliveryBatch | PackedBatch);
  return { id, content: batch, deliveries };
}
