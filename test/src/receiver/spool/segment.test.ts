import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DeliveryBatch } from '#src/queue/contract.ts';
import { deliveriesIn, encodeRecord, readSegment } from '#src/receiver/spool/segment.ts';
import { runs } from '../../../harness/runs.ts';

const receivedAt = '2025-04-14T11:42:33.115889Z';
const batches = fc.array(
  fc
    .array(fc.string({ unit: 'grapheme' }), { minLength: 1, maxLength: 4 })
    .map((bodies): DeliveryBatch => ({ v: 1, deliveries: bodies.map((body) => ({ body, receivedAt })) })),
  { minLength: 1, maxLength: 6 },
);
const deliveriesOf = (list: readonly DeliveryBatch[]) => list.flatMap(({ deliveries }) => deliveries);

describe('a spool segment', () => {
  it('returns what was written, in order', () => {
    fc.assert(
      fc.property(batches, (list) => {
        const content = readSegment(Buffer.concat(list.map(encodeRecord)));
        expect(content.state).toBe('whole');
        expect(deliveriesIn(content)).toEqual(deliveriesOf(list));
        expect(content.deliveries).toBe(deliveriesOf(list).length);
      }),
      runs(100),
    );
  });

  it('cut anywhere returns every record before the cut and nothing else', () => {
    fc.assert(
      fc.property(batches, fc.nat(), (list, seed) => {
        const records = list.map(encodeRecord);
        const bytes = Buffer.concat(records);
        const cut = seed % bytes.length;
        let whole = 0;
        for (let end = 0; whole < records.length; whole += 1) {
          end += records[whole]?.length ?? 0;
          if (end > cut) break;
        }
        const content = readSegment(bytes.subarray(0, cut));
        expect(deliveriesIn(content)).toEqual(deliveriesOf(list.slice(0, whole)));
        expect(content.state).not.toBe('damaged');
      }),
      runs(100),
    );
  });

  it('with any one bit flipped never returns anything that was not written', () => {
    fc.assert(
      fc.property(batches, fc.nat(), (list, seed) => {
        const bytes = Buffer.concat(list.map(encodeRecord));
        const bit = seed % (bytes.length * 8);
        bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        const content = readSegment(bytes);
        const read = deliveriesIn(content);
        expect(read).toEqual(deliveriesOf(list).slice(0, read.length));
        expect(content.state).not.toBe('whole');
      }),
      runs(100),
    );
  });

  it('is damaged, not torn, when complete records follow a length that points beyond the end', () => {
    const record = encodeRecord({ v: 1, deliveries: [{ body: 'a', receivedAt }] });
    const wrong = Buffer.from(record);
    wrong.writeUInt32LE(0x7fffffff, 0);
    expect(readSegment(Buffer.concat([record, wrong, record]))).toMatchObject({ deliveries: 1, state: 'damaged' });
    expect(readSegment(Buffer.concat([record, wrong]))).toMatchObject({ deliveries: 1, state: 'torn' });
  });

  it('is damaged when a complete record has a wrong checksum, also the last one', () => {
    const record = encodeRecord({ v: 1, deliveries: [{ body: 'a', receivedAt }] });
    const wrong = Buffer.from(record);
    wrong[wrong.length - 1] = 0;
    expect(readSegment(Buffer.concat([wrong, record])).state).toBe('damaged');
    expect(readSegment(Buffer.concat([record, wrong])).state).toBe('damaged');
  });
});
