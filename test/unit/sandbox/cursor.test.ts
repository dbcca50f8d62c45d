// Page tokens: they carry a position there and back, and nothing but the sandbox's own, fresh token of this list is taken.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCursors } from '#src/sandbox/api/cursor.ts';
import { dayMs } from '#src/sandbox/clock.ts';
import { runs } from '../../property/runs.ts';

let nowMs = 1_800_000_000_000;
const cursors = createCursors('secret', { nowMs: () => nowMs });
const list = '/contacts created_at false';
const cursor = { from: { key: '2027-01-01T00:00:00.000000Z', uri: 'http://127.0.0.1/contacts/1' }, backwards: false };

const anyCursor = fc.record({
  from: fc.record({ key: fc.string({ unit: 'binary' }), uri: fc.string({ unit: 'binary' }) }),
  backwards: fc.boolean(),
});

describe('a page token', () => {
  it('gives back the position it was made from', () => {
    fc.assert(
      fc.property(anyCursor, fc.string(), (one, name) => {
        expect(cursors.read(name, cursors.write(name, one))).toEqual(one);
      }),
      runs(200),
    );
  });

  it('can stand in a URL as it is', () => {
    fc.assert(
      fc.property(anyCursor, (one) => {
        const token = cursors.write(list, one);
        expect(encodeURIComponent(token)).toBe(token);
      }),
      runs(100),
    );
  });

  it('is refused once any character of it is changed, missing or added', () => {
    const token = cursors.write(list, cursor);
    fc.assert(
      fc.property(fc.nat(token.length - 1), fc.constantFrom('', 'A', 'z', '_', 'AA'), (index, instead) => {
        const forged = token.slice(0, index) + instead + token.slice(index + 1);
        fc.pre(forged !== token);
        expect(cursors.read(list, forged)).toBeUndefined();
      }),
      runs(300),
    );
  });

  it('is refused when it is no token at all', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.base64String({ maxLength: 6000 })), (text) => {
        expect(cursors.read(list, text)).toBeUndefined();
      }),
      runs(300),
    );
  });

  it('is refused on another list, in another order, and by another sandbox', () => {
    const token = cursors.write(list, cursor);
    expect(cursors.read('/contacts created_at true', token)).toBeUndefined();
    expect(cursors.read('/event_types created_at false', token)).toBeUndefined();
    expect(createCursors('another', { nowMs: () => nowMs }).read(list, token)).toBeUndefined();
  });

  it('holds for a day and no longer', () => {
    const token = cursors.write(list, cursor);
    nowMs += dayMs;
    expect(cursors.read(list, token)).toEqual(cursor);
    nowMs += 1;
    expect(cursors.read(list, token)).toBeUndefined();
  });
});
