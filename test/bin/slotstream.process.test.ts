// The command is called by its path: from any folder, through a link, with an older Node on the machine, and as a package.
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { version } from '#src/base/version.ts';
import manifest from '../../package.json' with { type: 'json' };

const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'slotstream-bin-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function script(path: string, text: string): void {
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text, { mode: 0o755 });
}

/** Runs a program in another folder, on a machine whose own Node does not even start. */
function callElsewhere(program: string, ...args: readonly string[]): readonly [stdout: string, stderr: string] {
  script(join(folder, 'machine/node'), '#!/bin/sh\nexit 9\n');
  const env = { PATH: `${join(folder, 'machine')}:/usr/bin:/bin` };
  const { stdout, stderr } = spawnSync(program, args, { cwd: folder, env, encoding: 'utf8' });
  return [stdout, stderr];
}

describe('bin/slotstream', () => {
  // V8 would report a flag that it does not know, and go on.
  it('uses the Node that npm installed with the project, with flags that it knows, from any folder and through a link, and names itself', () => {
    symlinkSync(join(root, manifest.bin.slotstream), join(folder, 'linked'));
    expect(callElsewhere('./linked', '--version')).toEqual([`${version}\n`, '']);
    // A path that works where it was called.
    const program = join(root, 'bin/slotstream');
    expect(callElsewhere(program, 'feed', '--help')[0]).toContain(`${program} feed`);
  });

  it.each([
    ['v24.12.0', 'the machine'],
    ['v26.0.0', 'the machine'],
    ['v24.11.1', 'npm'],
    ['v20.20.2', 'npm'],
  ])('where the machine has Node %s, uses that of %s', (version, whose) => {
    const home = mkdtempSync(join(folder, 'home-'));
    const answering = (name: string) => `#!/bin/sh\n[ "$1" = --version ] && echo ${version} || echo ${name}\n`;
    script(join(home, 'machine/node'), answering('the machine'));
    script(join(home, 'node_modules/.bin/node'), answering('npm'));
    script(join(home, 'bin/slotstream.js'), '#!/usr/bin/env -S node --flag\n');
    copyFileSync(join(root, 'bin/slotstream'), join(home, 'bin/slotstream'));
    const env = { PATH: `${join(home, 'machine')}:/usr/bin:/bin` };
    expect(execFileSync(join(home, 'bin/slotstream'), ['status'], { env, encoding: 'utf8' })).toBe(`${whose}\n`);
  });

  it('uses the Node beside it where it is a package of another project', () => {
    const modules = join(folder, 'project/node_modules');
    script(join(modules, '.bin/node'), '#!/bin/sh\necho "node of the project $3"\n');
    script(join(modules, 'slotstream/bin/slotstream.js'), '#!/usr/bin/env -S node --flag\n');
    copyFileSync(join(root, 'bin/slotstream'), join(modules, 'slotstream/bin/slotstream'));
    symlinkSync('../slotstream/bin/slotstream', join(modules, '.bin/slotstream'));
    expect(callElsewhere('project/node_modules/.bin/slotstream', 'status')[0]).toBe('node of the project status\n');
  });
});

describe('bin/slotstream.js', () => {
  it('says which Node it needs when the one that runs it is older', () => {
    const pretend = "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '24.11.1' } })";
    const args = ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`, join(root, 'bin/slotstream.js')];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect([status, stderr]).toEqual([2, expect.stringContaining('needs Node 24.12 or newer; this is Node 24.11.1.')]);
  });
});
