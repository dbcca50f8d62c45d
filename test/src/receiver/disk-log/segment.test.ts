import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DeliveryBatch } from '#src/queue/contract.ts';
import { encodeRecord, readSegment } from '#src/receiver/disk-log/segment.ts';
import { runs } from '../../../harness/runs.ts';

const receivedAt = '2025-04-14T11:42:33.115889Z';
const batches = fc.array(
  fc
    .array(fc.string({ unit: 'grapheme' }), { minLength: 1, maxLength: 4 })
    .map((bodies): DeliveryBatch => ({ v: 1, deliveries: bodies.map((body) => ({ body, receivedAt })) })),
  { minLength: 1, maxLength: 6 },
);
const encode = (batch: DeliveryBatch) => encodeRecord(batch, batch.deliveries.length);
const batchesIn = (bytes: Buffer) =>
  readSegment(bytes).records.map(({ content }) => JSON.parse(content.toString('utf8')) as DeliveryBatch);

describe('a segment', () => {
  it('whole or cut anywhere returns every record before the cut, in order, and nothing else', () => {
    fc.assert(
      fc.property(batches, fc.option(fc.nat()), (list, seed) => {
        const records = list.map(encode);
        const bytes = Buffer.concat(records);
        const cut = seed === null ? bytes.length : seed % bytes.length;
        let whole = 0;
        for (let end = 0; whole < records.length; whole += 1) {
          end += records[whole]?.length ?? 0;
          if (end > cut) break;
        }
        const read = readSegment(bytes.subarray(0, cut));
        expect(batchesIn(bytes.subarray(0, cut))).toEqual(list.slice(0, whole));
        const counts = list.map(({ deliveries }) => deliveries.length);
        expect(read.records.map(({ deliveries }) => deliveries)).toEqual(counts.slice(0, whole));
        expect(read.state).toBeOneOf(seed === null ? ['whole'] : ['whole', 'torn']);
      }),
      runs(200),
    );
  });

  it('with any one bit flipped loses only the record of that bit, and returns nothing that was not written', () => {
    fc.assert(
      fc.property(batches, fc.nat(), (list, seed) => {
        const records = list.map(encode);
        const bytes = Buffer.concat(records);
        const bit = seed % (bytes.length * 8);
        bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        let end = 0;
        const hit = records.findIndex((record) => (end += record.length) > bit >> 3);
        expect(batchesIn(bytes)).toEqual(list.toSpliced(hit, 1));
        expect(readSegment(bytes).state).not.toBe('whole');
      }),
      runs(100),
    );
  });

  it('is torn only when nothing complete follows what is not, and damaged otherwise', () => {
    const record = encode({ v: 1, deliveries: [{ body: 'a', receivedAt }] });
    const [tooLong, changed] = [Buffer.from(record), Buffer.from(record)];
    tooLong.writeUInt32LE(0x7fffffff, 0);
    changed[changed.length - 1] = 0;
    const read = (...parts: Buffer[]) => {
      const { records, state } = readSegment(Buffer.concat(parts));
      return [records.length, state];
    };
    expect(read(record, tooLong, record)).toEqual([2, 'damaged']);
    expect(read(record, tooLong)).toEqual([1, 'torn']);
    // Space that was allotted and never written.
    expect(read(record, Buffer.alloc(40))).toEqual([1, 'torn']);
    expect(read(changed, record)).toEqual([1, 'damaged']);
    expect(read(record, changed)).toEqual([1, 'damaged']);
  });
});
