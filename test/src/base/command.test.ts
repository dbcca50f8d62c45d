// Messages name the command as it was called, or by a path: a bare name would be looked up in a public registry by `npx`.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
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
  beforeEach(() => rmSync(join(folder, 'package.json'), { force: true }));
  const home = join(folder, 'node_modules/slotstream');
  mkdirSync(home, { recursive: true });

  it('is npx with the name where the folder has the package, and a path elsewhere', () => {
    expect(commandIn(folder, home)).toBe('npx slotstream');
    expect(commandIn('/somewhere/else', home)).toBe(join(home, 'bin/slotstream'));
  });

  it.each([
    ['slotstream', 'npx slotstream'],
    ['slotstream@0.1.0', 'npx slotstream@0.1.0'],
    ['./slotstream-0.1.0.tgz', 'npx ./slotstream-0.1.0.tgz'],
    ["it's here/slotstream.tgz", `npx 'it'\\''s here/slotstream.tgz'`],
  ])('is npx with the package that npx was called with: %s', (name, command) => {
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ _npx: { packages: [name] } }));
    expect(commandIn('/somewhere/else', home)).toBe(command);
  });

  it.each(['', '{}', '{"_npx":{}}'])('is a path beside a manifest of another kind: %j', (text) => {
    writeFileSync(join(folder, 'package.json'), text);
    expect(commandIn('/somewhere/else', home)).toBe(join(home, 'bin/slotstream'));
  });
});
