// How deliveries are encoded in a job: the raw bytes of one delivery, and the compressed form of a batch. The bodies of a batch
// are similar, as JSON inside JSON every quote would be escaped, and one character beyond Latin-1 would double the width of all of
// it; packed, a batch takes a tenth of the space and a fifth of the time.
import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { z } from 'zod';
import type { DeliveryBatch, PackedBatch, QueuedDelivery } from './contract.ts';

/**
 * A delivery as the bytes that were signed. It becomes text only where text is needed; most deliveries travel packed, as bytes.
 * PostgreSQL rejects NUL and invalid UTF-8 in text, and one such body would fail its whole batch, so those become base64.
 * `Buffer.toString` keeps a byte order mark (TextDecoder drops it): what is stored is what was signed.
 */
export class RawDelivery implements QueuedDelivery {
  readonly bytes: Buffer;
  readonly receivedAt: string;

  constructor(bytes: Buffer, receivedAt: string) {
    this.bytes = bytes;
    this.receivedAt = receivedAt;
  }

  get body(): string {
    return this.toJSON().body;
  }

  toJSON(): QueuedDelivery {
    const { bytes, receivedAt } = this;
    const isText = isUtf8(bytes) && !bytes.includes(0);
    return isText
      ? { body: bytes.toString('utf8'), receivedAt }
      : { body: bytes.toString('base64'), encoding: 'base64', receivedAt };
  }
}

export function bytesOf(delivery: QueuedDelivery): Buffer {
  return delivery instanceof RawDelivery ? delivery.bytes : Buffer.from(delivery.body, delivery.encoding ?? 'utf8');
}

const isBatch = (data: unknown): data is DeliveryBatch =>
  typeof data === 'object' && data !== null && 'deliveries' in data && Array.isArray(data.deliveries);

/** The same in receiver and worker: of the first delivery of a batch. Joins their log lines. */
export function batchIdOf(batch: unknown): string | undefined {
  const [first] = isBatch(batch) ? batch.deliveries : [];
  if (typeof first?.receivedAt !== 'string' || typeof first.body !== 'string') return undefined;
  return createHash('sha256').update(first.receivedAt).update(bytesOf(first)).digest('hex').slice(0, 12);
}

const packedIndex = z.array(z.tuple([z.int().nonnegative(), z.string()]));

const fastest = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
/** A forged job must not use all memory; a batch has at most 1 MiB, or one body. */
const bounded = { maxOutputLength: 64 * 1024 * 1024 };

/**
 * Packs to base64 of zstd of: a line of JSON with one `[bytes, receivedAt]` per delivery, then the raw bodies end to end. A batch of
 * one delivery is not packed: it would gain nothing, and this way the engine's own tools can read it.
 */
export function packBatch(batch: DeliveryBatch | PackedBatch): DeliveryBatch | PackedBatch {
  if ('packed' in batch || !(batch.deliveries.length > 1)) return batch;
  const bodies = batch.deliveries.map(bytesOf);
  const entries = batch.deliveries.map(({ receivedAt }, at): z.output<typeof packedIndex>[number] => [
    bodies[at]?.length ?? 0,
    receivedAt,
  ]);
  const content = Buffer.concat([Buffer.from(`${JSON.stringify(entries)}\n`), ...bodies]);
  return { v: 1, packed: zstdCompressSync(content, { ...fastest, pledgedSrcSize: content.length }).toString('base64') };
}

/** Returns data that this program did not pack unchanged: the reader of a batch validates it anyway. */
export function unpackBatch(data: unknown): unknown {
  if (typeof data !== 'object' || data === null || !('packed' in data) || typeof data.packed !== 'string') return data;
  try {
    const content = zstdDecompressSync(Buffer.from(data.packed, 'base64'), bounded);
    const start = content.indexOf('\n') + 1;
    let at = start;
    const entries = packedIndex.parse(JSON.parse(content.toString('utf8', 0, start)));
    const deliveries = entries.map(([bytes, receivedAt]): QueuedDelivery => {
      at += bytes;
      return new RawDelivery(content.subarray(at - bytes, at), receivedAt).toJSON();
    });
    return at === content.length ? ({ v: 1, deliveries } satisfies DeliveryBatch) : data;
  } catch {
    return data;
  }
}
