import { expect, it } from 'vitest';
import fc from 'fast-check';
import { parse, type ParseError } from 'jsonc-parser';
import { jsonMistake } from '#src/base/json-mistake.ts';
import { runs } from '../../harness/runs.ts';

it.each([
  ['{"rules": [\n  {"a": 1},\n  {"b": "}}"},\n]}', 'line 4, column 1: a comma after the last entry?'],
  ['{"a": 1,\n}', 'line 2, column 1: a comma after the last entry?'],
  ['[\nx]', 'line 2, column 1: unexpected "x"'],
  ['{"a": 1}\n{', 'line 2, column 1: unexpected "{"'],
  ['{"a": [1 2]}', 'line 1, column 10: unexpected "2"'],
  ['{"rules": [', 'line 1, column 12: it ends too early'],
  ['{"a": "no end', 'line 1, column 14: it ends too early'],
  ['["a\nb"]', 'line 1, column 4: unexpected "\\n"'],
  ['// a comment\n[]', 'line 1, column 1: unexpected "/"'],
  ['', 'line 1, column 1: it ends too early'],
  ['['.repeat(100_000), 'it is nested too deeply'],
  ['{"a": 1}', undefined],
])('the mistake in %j is at %s', (text, mistake) => {
  expect(jsonMistake(text)).toBe(mistake);
});

it('the parser with positions and JSON.parse agree on what is JSON', () => {
  const letters = ['', ...'{}[],:"\\\n\u00a0x0-.'.split('')];
  fc.assert(
    fc.property(fc.json({ maxDepth: 3 }), fc.nat(), fc.constantFrom(...letters), (json, at, letter) => {
      const index = at % (json.length + 1);
      const text = json.slice(0, index) + letter + json.slice(index + 1);
      const errors: ParseError[] = [];
      parse(text, errors, { disallowComments: true });
      expect(errors.length > 0).toBe(jsonMistake(text) !== undefined);
    }),
    runs(300),
  );
});
