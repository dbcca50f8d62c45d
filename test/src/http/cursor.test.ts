// Page tokens: they carry a position and a query there and back, and nothing that was changed is taken. For a day, and on their list
// only: test/conformance/pagination.test.ts.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCursors } from '#src/http/cursor.ts';
import { anyText } from '../../harness/data/any-text.ts';
import { runs } from '../../harness/runs.ts';

const cursors = createCursors('secret', { nowMs: () => 1_800_000_000_000 });
const path = '/contacts';
const list = { path, filters: { sort: 'created_at:desc' } };
const position = { from: { key: '2027-01-01T00:00:00.000000Z', uri: 'http://127.0.0.1/contacts/1' }, backwards: false };

const anyPlace = fc.record({
  from: fc.record({ key: anyText(), uri: anyText() }),
  backwards: fc.boolean(),
});

describe('a page token', () => {
  it('gives back the position and the filters it was made from, and can stand in a URL as it is', () => {
    const anyFilters = fc.dictionary(
      fc.string().filter((name) => name !== '__proto__'),
      anyText(),
    );
    fc.assert(
      fc.property(anyPlace, fc.string(), anyFilters, (one, name, filters) => {
        const token = cursors.write({ path: name, filters }, one);
        expect(cursors.read(name, token)).toEqual({ position: one, filters: { ...filters } });
        expect(encodeURIComponent(token)).toBe(token);
      }),
      runs(200),
    );
  });

  it('is refused once any character of it is changed, missing or added, and when it is no token at all', () => {
    const token = cursors.write(list, position);
    const changed = fc
      .tuple(fc.nat(token.length - 1), fc.constantFrom('', 'A', 'z', '_', 'AA'))
      .map(([index, instead]) => token.slice(0, index) + instead + token.slice(index + 1));
    const forged = fc.oneof(changed, changed, anyText(), fc.base64String({ maxLength: 6000 }));
    fc.assert(
      fc.property(forged, (text) => {
        fc.pre(text !== token);
        expect(cursors.read(path, text)).toBeUndefined();
      }),
      runs(600),
    );
  });
});
