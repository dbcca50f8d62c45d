import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { openContext } from '#src/cli/context.ts';
import type { Json } from '#src/store/columns.ts';
import { alignColumns, changeLines, safeTerminalText, valueText } from '#src/cli/terminal.ts';

describe('a value on a terminal', () => {
  it('is on one line and contains no character that controls the terminal or its text direction', () => {
    const hostile = 'a\n\u001b[2J\u009b2J\u202e\u2066b\u2028';
    expect(valueText(hostile)).toBe('"a\\n\\u001b[2J\\u009b2J\\u202e\\u2066b\\u2028"');
    expect(safeTerminalText(hostile)).toBe('a\\n\\u001b[2J\\u009b2J\\u202e\\u2066b\\u2028');
  });

  it('is cut when it is too long', () => {
    expect(valueText('x'.repeat(100), 10)).toBe('"xxxxxx…');
    expect(valueText(['žluťoučký 🐎', 1, null])).toBe('["žluťoučký 🐎",1,null]');
  });

  it('is shown before and after a change, one line per column and per item of a list', () => {
    const budget = (value: number | null) => ({ uri: 'https://example.com/b', label: 'Bud\u001bget', value });
    const other = { uri: 'https://example.com/o', label: 'Other', value: 1 };
    const fields: [Json, Json] = [
      [budget(null), other],
      [budget(12000), other],
    ];
    expect(changeLines({ contacts: { name: [null, 'Ada'], city: ['Bath', null], custom_fields: fields } })).toEqual([
      '  contacts.name: none → "Ada"',
      '  contacts.city: "Bath" → none',
      '  contacts.custom_fields, Bud\\u001bget: none → 12000',
    ]);
    expect(changeLines(null)).toEqual([]);
  });
});

describe('columns on a terminal', () => {
  it('line up, also where a character takes two cells or is made of several', () => {
    const names = ['Ada', '日本語', 'Zoe\u0301', '👩‍👩‍👧‍👦', '한글', '한글'.normalize('NFD')];
    expect(alignColumns(names.map((name) => [name, 'x']))).toEqual([
      'Ada     x',
      '日本語  x',
      'Zoe\u0301     x',
      '👩‍👩‍👧‍👦      x',
      '한글    x',
      `${'한글'.normalize('NFD')}    x`,
    ]);
  });
});

describe('the output of a command', () => {
  const hostile = 'a\tb\r\nc\u0000\u001b[2J\r\u009b\u202e\u2066\u200e\u061cd';
  const written = async (isTTY: boolean) => {
    const stdout = Object.assign(new PassThrough(), { isTTY });
    const stderr = Object.assign(new PassThrough(), { isTTY });
    const context = openContext({ stdout, stderr });
    context.out(hostile);
    await context.outAll(hostile);
    context.notify(hostile);
    return [context.isTerminal, String(stdout.read()), String(stderr.read())];
  };

  it('controls no terminal, whatever texts are in it', async () => {
    const safe = 'a\tb\r\nc\\u0000\\u001b[2J\\u000d\\u009b\\u202e\\u2066\\u200e\\u061cd';
    expect(await written(true)).toEqual([true, `${safe}\n${safe}`, `${safe}\n`]);
  });

  it('is unchanged in a pipe or a file', async () => {
    expect(await written(false)).toEqual([false, `${hostile}\n${hostile}`, `${hostile}\n`]);
  });
});
