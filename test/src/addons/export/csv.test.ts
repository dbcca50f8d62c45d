// CSV as a spreadsheet meets it: nothing in it runs, and what was there can be had back.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csv } from '#src/addons/export/csv.ts';
import type { Cell, Column } from '#src/addons/export/format.ts';
import { anyText } from '../../../harness/data/any-text.ts';
import { withoutApostrophe } from '../../../harness/mirror/export-folder.ts';
import { runs } from '../../../harness/runs.ts';

async function written(columns: readonly Column[], rows: readonly (readonly Cell[])[], isRaw = false): Promise<string> {
  const chunks: string[] = [];
  const writer = await csv.open({ write: async (bytes) => void chunks.push(Buffer.from(bytes).toString()) }, columns, {
    isRaw,
  });
  await writer.write(rows);
  await writer.close();
  return chunks.join('');
}

const text: Column = { name: 'name', kind: 'text' };
const cellFor = async (value: Cell | undefined, column = text) =>
  (await written([column, text], [[value ?? null, 'x']])).slice(11, -4);

describe('a CSV cell', () => {
  const isFormula = ['=1', '+a', '-1', '@a', '\t1', '\r1', '\n1', ' =1', '\u00a0=1', '＝1', '＋1', '－1', '＠a'];
  // A spreadsheet computes these, although they look like phone numbers.
  const isSum = ['+1-1', '+1 -1', '+1-202-555-0100', '+1.5-1', '+(1)-1', '+1 2+A1', '+1\t2'];
  const isPhoneNumber = ['+12025550100', '+1 202-555-0100', '+1 (202) 555-0100', '+49(30)1234-56', '+1.202.555.0100'];
  it.each([
    ...[...isFormula, ...isSum].map((value) => [value, `'${value}`]),
    ...isPhoneNumber.map((value) => [value, value]),
    // Behind a separator.
    ['x;=1+1;y', "x;'=1+1;y"],
    ['a;"=1+1;z', `a;'""=1+1;z`],
    ["c;=cmd|' /C calc'!A0;z", "c;'=cmd|' /C calc'!A0;z"],
    ['a\t @b', "a\t' @b"],
    ['a|+1;-1', "a|'+1;'-1"],
    ['a\n=1', "a\n'=1"],
    ["a;'=1", "a;''=1"],
    ['a;b-1 | c', 'a;b-1 | c'],
  ])(
    'gets an apostrophe where a spreadsheet would run a formula, and nowhere else: %j, %j',
    async (value, expected) => {
      expect((await cellFor(value)).replaceAll(/^"|"$/g, '')).toBe(expected);
    },
  );

  it('with JSON keeps its value: separators before a formula are escaped', async () => {
    const json = JSON.stringify({ note: "x;=cmd|' @A0", list: ['a;b'] });
    const cell = await cellFor(json, { name: 'name', kind: 'json' });
    expect(cell).not.toMatch(/[;|][' ]*[=@]/);
    expect(JSON.parse(cell.slice(1, -1).replaceAll('""', '"'))).toEqual(JSON.parse(json));
  });

  it('is written unchanged in raw CSV', async () => {
    const json: Column = { name: 'x', kind: 'json' };
    const lines = await written([text, json], [['=1;=2', '";=1"']], true);
    expect(lines).toBe('name,x\r\n=1;=2,""";=1"""\r\n');
  });

  it('with very many separators takes no longer than another', async () => {
    const value = '\t; '.repeat(100_000);
    expect(await cellFor(value)).toBe(`"'${value}"`);
  });

  it.each([
    ['a number', -1.5, 'number', '-1.5'],
    ['a flag', true, 'flag', 'true'],
    ['JSON that is a number', '-5', 'json', '-5'],
    ['JSON that is a text', '"=1"', 'json', '"""=1"""'],
    ['an empty text', '', 'text', '""'],
    ['null', null, 'text', ''],
    ['a text with a blank at its end', 'a ', 'text', '"a "'],
    ['a plain text', 'a b', 'text', 'a b'],
  ] as const)('holding %s is written as it is meant', async (_what, value, kind, expected) => {
    expect(await cellFor(value, { name: 'name', kind })).toBe(expected);
  });

  it('restores every text when its apostrophe is removed', async () => {
    const marks = ["'", '=', '-', '+', '@', ' ', '\t', '\r', '\n', ';', '|', '"', ',', 'a', '＝', '1'];
    const tricky = fc.array(fc.constantFrom(...marks), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          tricky.map((parts) => parts.join('')),
          anyText(),
        ),
        async (value) => {
          const cell = await cellFor(value);
          const raw = cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell;
          for (const part of raw.split(/[;|\t\r\n]/)) expect(part.trim()).not.toMatch(/^[=\-@]|^\+(?![\d ().-]*$)/);
          expect(withoutApostrophe(raw)).toBe(value);
        },
      ),
      runs(100),
    );
  });

  it('that is the only one of its row is never an empty line', async () => {
    expect(await written([text], [[null], [''], ['a']])).toBe('name\r\n""\r\n""\r\na\r\n');
  });
});
