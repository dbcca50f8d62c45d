// JSON text is indented without a change to any value.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonLines, lineAt } from '#src/addons/dashboard/pages/deliveries/json-text.ts';
import { runs } from '../../../../../harness/runs.ts';

const textOf = (json: string): string =>
  jsonLines(json)
    .map(({ indent, name, text }) => `${'  '.repeat(indent)}${name === '' ? '' : `${name}: `}${text}`)
    .join('\n');

describe('indented JSON', () => {
  it('is what JSON.stringify writes, for every value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(undefined, 1, '\t'), (value, space) => {
        expect(textOf(JSON.stringify(value, null, space))).toBe(JSON.stringify(value, null, 2));
      }),
      runs(300),
    );
  });

  it('keeps numbers and strings as they were sent', () => {
    const sent = '{"a":9007199254740993,"b":1.0,"c":-0,"d":1e400,"e":"\\u0041\\/\\"{[","f":[ ],"a":2}';
    expect(textOf(sent).split('\n')).toEqual([
      '{',
      '  "a": 9007199254740993,',
      '  "b": 1.0,',
      '  "c": -0,',
      '  "d": 1e400,',
      '  "e": "\\u0041\\/\\"{[",',
      '  "f": [],',
      '  "a": 2',
      '}',
    ]);
    const long = `[${'9'.repeat(5_000)}]`;
    expect(textOf(long)).toBe(`[\n  ${'9'.repeat(5_000)}\n]`);
  });

  it('has a line for every path, and for what is missing the line of what is around it', () => {
    const lines = jsonLines('{"payload":{"emails":[{"email":7},{"\\u0065mail":8}],"name":null}}');
    const at = (...path: (string | number)[]) => lines[lineAt(lines, path)]?.text;
    expect(at('payload', 'emails', 0, 'email')).toBe('7');
    expect(at('payload', 'emails', 1, 'email')).toBe('8');
    expect(at('payload', 'name')).toBe('null');
    expect(lineAt(lines, ['payload', 'uri'])).toBe(lineAt(lines, ['payload']));
    expect(lineAt(lines, ['nothing', 3])).toBe(0);
  });
});
