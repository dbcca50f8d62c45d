// CSV as a spreadsheet meets it: nothing in it runs, and what was there can be had back.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csv } from '#src/export/csv.ts';
import type { Cell, Column } from '#src/export/format.ts';
import { withoutApostrophe } from '../../harness/mirror/export-folder.ts';
import { runs } from '../../harness/runs.ts';

async function written(columns: readonly Column[], rows: readonly (readonly Cell[])[]): Promise<string> {
  const chunks: string[] = [];
  const writer = await csv.open({ write: async (bytes) => void chunks.push(Buffer.from(bytes).toString()) }, columns);
  await writer.write(rows);
  await writer.close();
  return chunks.join('');
}

const text: Column = { name: 'name', kind: 'text' };
const cellFor = async (value: Cell, column = text) => (await written([column, text], [[value, 'x']])).slice(11, -4);

describe('a CSV cell', () => {
  it.each(['=1', '+1', '-1', '@a', '\t1', '\r1', '\n1', ' =1', '\u00a0=1', '＝1', '＋1', '－1', '＠a'])(
    'that a spreadsheet would run as a formula (%j) gets an apostrophe',
    async (value) => {
      expect((await cellFor(value)).replaceAll(/^"|"$/g, '')).toBe(`'${value}`);
    },
  );

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
    const tricky = fc.array(fc.constantFrom("'", '=', '-', '@', ' ', '\t', '\r', '\n', '"', ',', 'a', '＝', '1'), {
      maxLength: 6,
    });
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          tricky.map((parts) => parts.join('')),
          fc.string({ unit: 'binary' }),
        ),
        async (value) => {
          const cell = await cellFor(value);
          const raw = cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell;
          expect(raw).not.toMatch(/^[=+\-@\t\r\n]/);
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
