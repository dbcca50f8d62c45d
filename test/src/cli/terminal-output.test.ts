import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { openContext } from '#src/cli/context.ts';

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
