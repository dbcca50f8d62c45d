import { expect, it } from 'vitest';
import { jsonMistake } from '#src/base/json-mistake.ts';

it.each([
  ['{"rules": [\n  {"a": 1},\n  {"b": "}}"},\n]}', 'line 4, column 1: a comma after the last entry?'],
  ['{"a": 1,\n}', 'line 2, column 1: a comma after the last entry?'],
  ['[\nx]', 'line 2, column 1: unexpected "x"'],
  ['{"a": 1}\n{', 'line 2, column 1: unexpected "{"'],
  ['{"a": [1 2]}', 'line 1, column 10: unexpected "2"'],
  ['{"rules": [', 'line 1, column 12: it ends too early'],
  ['', 'line 1, column 1: it ends too early'],
  ['{"a": 1}', undefined],
])('the mistake in %j is at %s', (text, mistake) => {
  expect(jsonMistake(text)).toBe(mistake);
});
