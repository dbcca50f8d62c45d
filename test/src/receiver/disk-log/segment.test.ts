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
  it('returns what was written, in order', () => {
    fc.assert(
      fc.property(batches, (list) => {
        const bytes = Buffer.concat(list.map(encode));
        const content = readSegment(bytes);
        expect(content.state).toBe('whole');
        expect(batchesIn(bytes)).toEqual(list);
        expect(content.records.map(({ deliveries }) => deliveries)).toEqual(
          list.map((batch) => batch.deliveries.length),
        );
      }),
      runs(100),
    );
  });

  it('cut anywhere returns every record before the cut and nothing else', () => {
    fc.assert(
      fc.property(batches, fc.nat(), (list, seed) => {
        const records = list.map(encode);
        const bytes = Buffer.concat(records);
        const cut = seed % bytes.length;
        let whole = 0;
        for (let end = 0; whole < records.length; whole += 1) {
          end += records[whole]?.length ?? 0;
          if (end > cut) break;
        }
        expect(batchesIn(bytes.subarray(0, cut))).toEqual(list.slice(0, whole));
        expect(readSegment(bytes.subarray(0, cut)).state).not.toBe('damaged');
      }),
      runs(100),
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

  it('is damaged, not torn, when complete records follow a length that points beyond the end', () => {
    const record = encode({ v: 1, deliveries: [{ body: 'a', receivedAt }] });
    const wrong = Buffer.from(record);
    wrong.writeUInt32LE(0x7fffffff, 0);
    expect(readSegment(Buffer.concat([record, wrong, record]))).toMatchObject({ records: [{}, {}], state: 'damaged' });
    expect(readSegment(Buffer.concat([record, wrong]))).toMatchObject({ records: [{}], state: 'torn' });
  });

  it('is torn when it ends with space that was allotted and never written', () => {
    const record = encode({ v: 1, deliveries: [{ body: 'a', receivedAt }] });
    expect(readSegment(Buffer.concat([record, Buffer.alloc(40)]))).toMatchObject({ records: [{}], state: 'torn' });
  });

  it('is damaged when a complete record has a wrong checksum, also the last one', () => {
    const record = encode({ v: 1, deliveries: [{ body: 'a', receivedAt }] });
    const wrong = Buffer.from(record);
    wrong[wrong.length - 1] = 0;
    expect(readSegment(Buffer.concat([wrong, record])).state).toBe('damaged');
    expect(readSegment(Buffer.concat([record, wrong])).state).toBe('damaged');
  });
});
