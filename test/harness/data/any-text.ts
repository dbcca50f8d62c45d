// Texts of any characters. The unit `binary` of fast-check lists every character that exists first: a second in each worker.
import fc from 'fast-check';

/** Half of a pair alone is no character. */
const halves = { first: 0xd800, count: 0x800 };
const character = fc.oneof(
  fc.integer({ min: 0, max: 0x7f }),
  fc.integer({ min: 0, max: 0x10_ffff - halves.count }).map((n) => (n < halves.first ? n : n + halves.count)),
);
const unit = character.map((point) => String.fromCodePoint(point));

export const anyText = (constraints: Omit<fc.StringConstraints, 'unit'> = {}): fc.Arbitrary<string> =>
  fc.string({ ...constraints, unit });
