// The journal on disk: which batch is in which segment, and which segments are still needed. One folder per receiver under the root.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { ProcessLock } from '#src/base/process-lock.ts';
import type { throttled } from '#src/observability/log.ts';
import type { DeliveryBatch, PackedBatch } from '#src/queue/contract.ts';
import type { Disk } from '#src/receiver/disk-log/disk.ts';
import { encodeRecord } from '#src/receiver/disk-log/segment.ts';
import { openSegmentFolders } from '#src/receiver/disk-log/segment-folders.ts';
import { createSegmentWriter, type Segment } from '#src/receiver/disk-log/segment-writer.ts';

/** A batch under the id that its job has in the queue. */
export interface JournaledBatch {
  readonly id: string;
  readonly content: DeliveryBatch | PackedBatch;
}

export interface JournalStoreOptions {
  readonly root: string;
  /** A segment is deleted as a whole, so smaller ones mean fewer batches that are enqueued again after a crash. */
  readonly segmentBytes?: number;
  readonly disk?: Disk;
}

export interface JournalStore {
  /** A new id, unlike that of any other receiver. */
  newId(): string;
  bytes(): number;
  /** True when the last append failed. */
  isFailing(): boolean;
  /** Resolves with the segment once the batch is on disk, or with undefined when the disk fails. Each record must be settled once. */
  append(batch: JournaledBatch, deliveries: number): Promise<Segment | undefined>;
  /** One record of the segment is not needed any more. */
  settle(segment: Segment): void;
  /** The readable batches of the segment; undefined when it cannot be read at present. */
  read(segment: Segment): Promise<readonly JournaledBatch[] | undefined>;
  /** Deletes the segments of which every record is settled. */
  clean(): Promise<void>;
  /** Takes over the segments of receivers that crashed, each with the ids of its batches; their content stays on disk. */
  adopt(): Promise<readonly { readonly segment: Segment; readonly ids: readonly string[] }[]>;
  close(): Promise<void>;
}

/** After so many cleanings a segment gets no more records, so that it can be deleted soon. */
const cleaningsPerSegment = 10;

export function openJournalStore(log: ReturnType<typeof throttled>, options: JournalStoreOptions): JournalStore {
  const { root, segmentBytes = 4 * 1024 ** 2, disk } = options;
  const receiver = randomUUID();
  const own = join(root, receiver);
  const locks = new Map<string, ProcessLock>();
  const folders = openSegmentFolders({ name: 'journal', root, own, locks, log, disk });
  const sealed = new Set<Segment>();
  const onSealed = (segment: Segment): void => void sealed.add(segment);
  const writer = createSegmentWriter({ folder: own, segmentBytes, locks, onSealed, disk });
  const settled = new Map<Segment, number>();
  let young: { readonly segment: Segment | undefined; cleanings: number } = { segment: undefined, cleanings: 0 };
  let issued = 0;
  let bytes = 0;
  let isFailing = false;
  /** Segments of receivers that crashed which could not be read yet: the next `adopt` tries again. */
  let unread: Segment[] = [];

  async function append({ id, content }: JournaledBatch, deliveries: number): Promise<Segment | undefined> {
    const record = encodeRecord({ id, ...content }, deliveries);
    bytes += record.length;
    try {
      const segment = await writer.append(record, deliveries);
      isFailing = false;
      return segment;
    } catch (err) {
      bytes -= record.length;
      isFailing = true;
      log('error', 'the journal cannot be written; deliveries are not acknowledged', { err });
      return undefined;
    }
  }

  async function read(segment: Segment): Promise<readonly JournaledBatch[] | undefined> {
    try {
      return (await folders.read(segment)).records.map(batchIn);
    } catch (err) {
      log('error', 'a journal segment cannot be read; retrying', { err });
      return undefined;
    }
  }

  /** Deliveries leave the disk soon after their jobs are finished, also where few arrive. */
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
      await folders.remove(segment);
      sealed.delete(segment);
      settled.delete(segment);
      bytes -= segment.bytes;
    }
  }

  return {
    newId() {
      issued += 1;
      return `${receiver}-${issued}`;
    },
    bytes: () => bytes,
    isFailing: () => isFailing,
    append,
    settle: (segment) => void settled.set(segment, (settled.get(segment) ?? 0) + 1),
    read,
    async clean() {
      await sealCurrent();
      await removeSettled();
    },
    async adopt() {
      const adopted: { segment: Segment; ids: readonly string[] }[] = [];
      const toRead = [...unread, ...(await folders.adopt())];
      unread = [];
      for (const found of toRead) {
        const batches = await read(found);
        if (!batches) {
          unread.push(found);
          continue;
        }
        const segment = { ...found, records: batches.length };
        sealed.add(segment);
        bytes += segment.bytes;
        adopted.push({ segment, ids: batches.map(({ id }) => id) });
      }
      return adopted;
    },
    async close() {
      await writer.seal();
      await removeSettled().catch(() => undefined);
      await folders.close();
    },
  };
}

function batchIn(record: Buffer): JournaledBatch {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `append` wrote it and its checksum is right
  const { id, ...content } = JSON.parse(record.toString('utf8')) as { id: string } & (DeliveryBatch | PackedBatch);
  return { id, content };
}
