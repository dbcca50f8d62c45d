// Whatever anybody calls themselves, what is said of them is one line of bounded length that commands no screen.
import fc from 'fast-check';
import { describe, it } from 'vitest';
import { cutAt, spoken, spokenLines } from '#workers/alerts/spoken.ts';
import { runs } from './runs.ts';

const anything = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 400 }),
  fc.string({ unit: 'grapheme', maxLength: 400 }),
  // Halves of characters, marks and joiners, as they never come in good faith.
  fc.string({
    unit: fc.constantFrom('\ud83d', '\udc69', '\u200d', '\u0301', '\u202e', '\r', '\n', '\u0000', 'a', ' '),
    maxLength: 400,
  }),
);
const obeyed = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;

describe('words', () => {
  it('are one bounded line, and the same when said again', () => {
    fc.assert(
      fc.property(anything, fc.integer({ min: 5, max: 200 }), (text, longest) => {
        const said = spoken(text, longest);
        return said.length <= longest && said.isWellFormed() && !obeyed.test(said) && spoken(said, longest) === said;
      }),
      runs(500),
    );
  });

  it('are bounded over several lines too', () => {
    fc.assert(
      fc.property(anything, fc.integer({ min: 5, max: 200 }), (text, longest) => {
        const said = spokenLines(text, longest);
        return said.length <= longest && said.isWellFormed() && !obeyed.test(said.replaceAll('\n', ''));
      }),
      runs(500),
    );
  });

  it('are left alone where they are short enough', () => {
    fc.assert(
      fc.property(anything, (text) => cutAt(text, text.length) === text),
      runs(500),
    );
  });
});
