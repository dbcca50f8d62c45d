// Packing and unpacking batches.
import { zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DeliveryBatch, QueuedDelivery } from '#src/queue/contract.ts';
import { packBatch, RawDelivery, unpackBatch } from '#src/queue/batch-codec.ts';
import { runs } from '../../harness/runs.ts';

const receivedAt = '2025-04-14T11:42:33.115889Z';
const bytes = fc.oneof(
  fc.string({ unit: 'grapheme' }).map((text) => Buffer.from(text)),
  fc.uint8Array().map((list) => Buffer.from(list)),
);
const deliveries = bytes.map((each): QueuedDelivery => new RawDelivery(each, receivedAt));
const batches = fc
  .array(deliveries, { minLength: 1, maxLength: 20 })
  .map((list): DeliveryBatch => ({ v: 1, deliveries: list }));

describe('a packed batch', () => {
  it('unpacks to what was packed, also through JSON', () => {
    fc.assert(
      fc.property(batches, (batch) => {
        expect(unpackBatch(JSON.parse(JSON.stringify(packBatch(batch))))).toEqual(JSON.parse(JSON.stringify(batch)));
      }),
      runs(100),
    );
  });

  it('leaves a batch of one delivery unpacked and readable', () => {
    const batch: DeliveryBatch = { v: 1, deliveries: [{ body: '{"event":"contact.created"}', receivedAt }] };
    expect(packBatch(batch)).toBe(batch);
    expect(unpackBatch(batch)).toBe(batch);
  });

  it('needs a fraction of the space for similar bodies', () => {
    const body = JSON.stringify({
      event: 'invitee.created',
      payload: { name: 'Zoë 李', answers: Array(30).fill('"yes"') },
    });
    const batch: DeliveryBatch = { v: 1, deliveries: Array.from({ length: 50 }, () => ({ body, receivedAt })) };
    expect(JSON.stringify(packBatch(batch)).length).toBeLessThan(JSON.stringify(batch).length / 10);
  });

  const packed = (content: string | Buffer) => ({ v: 1, packed: zstdCompressSync(content).toString('base64') });
  const forged: Record<string, unknown> = {
    nothing: null,
    'a number': 7,
    'no base64': { v: 1, packed: '****' },
    'no compressed data': { v: 1, packed: Buffer.from('hello').toString('base64') },
    'no index': packed('no list\nbody'),
    'no line break': packed('[[1,"x"]]'),
    'more bytes than the index says': packed('[[1,"x"]]\nabc'),
    'fewer bytes than the index says': packed('[[9,"x"]]\nabc'),
    'an index of another shape': packed('[null]\n'),
    'a bomb': packed(Buffer.alloc(65 * 1024 * 1024)),
  };
  for (const [name, data] of Object.entries(forged))
    it(`that is forged (${name}) comes back unchanged, to be quarantined`, () => {
      expect(unpackBatch(data)).toBe(data);
    });
});
