// Messages name the command as it was called, or by a path: a bare name would be looked up in a public registry by `npx`.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { commandIn } from '#src/base/command.ts';

const root = join(import.meta.dirname, '../../..');

describe('commandIn', () => {
  it.each([
    ['the folder of the project', root, './bin/slotstream'],
    ['a folder above it', join(root, '..'), `./${join(root, 'bin/slotstream').slice(join(root, '..').length + 1)}`],
    ['a folder inside it', join(root, 'src'), join(root, 'bin/slotstream')],
    ['another folder', '/somewhere/else', join(root, 'bin/slotstream')],
  ])('is a path that works in %s', (_, folder, command) => {
    expect(commandIn(folder)).toBe(command);
  });

  const folder = mkdtempSync(join(tmpdir(), 'slotstream-command-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const home = join(folder, 'node_modules/slotstream');
  mkdirSync(home, { recursive: true });
  const path = join(home, 'bin/slotstream');

  it('is npx with the name where the folder has the package, and a path elsewhere', () => {
    rmSync(join(folder, 'package.json'), { force: true });
    expect([commandIn(folder, home), commandIn('/somewhere/else', home)]).toEqual(['npx slotstream', path]);
  });

  const calledWith = (name: string) => JSON.stringify({ _npx: { packages: [name] } });
  it.each([
    ['npx with its name', calledWith('slotstream'), 'npx slotstream'],
    ['npx with its version', calledWith('slotstream@0.1.0'), 'npx slotstream@0.1.0'],
    ['npx with its file', calledWith('./slotstream-0.1.0.tgz'), 'npx ./slotstream-0.1.0.tgz'],
    ['npx with a file in quotes', calledWith("it's here/slotstream.tgz"), `npx 'it'\\''s here/slotstream.tgz'`],
    ...['', '{}', '{"_npx":{}}'].map((text) => ['a path beside another manifest', text, path]),
  ])('is %s, as npx was called: %j', (_, manifest, command) => {
    writeFileSync(join(folder, 'package.json'), manifest);
    expect(commandIn('/somewhere/else', home)).toBe(command);
  });
});
