// What `doctor` says of files that every user of the machine can read.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { productMain } from '../../harness/running-verb.ts';

it('warns of a data folder and a .env that others can read, with the command that closes them', () => {
  const folder = mkdtempSync(join(tmpdir(), 'slotstream-open-'));
  const [env, data] = [join(folder, '.env'), join(folder, 'data')];
  mkdirSync(data);
  writeFileSync(env, '');
  const fixes = (modes: readonly [number, number]): readonly string[] => {
    chmodSync(env, modes[0]);
    chmodSync(data, modes[1]);
    const { stdout } = spawnSync(process.execPath, [productMain, 'doctor'], {
      cwd: folder,
      env: { DATA_DIR: data },
      encoding: 'utf8',
    });
    return stdout.match(/chmod .*/g) ?? [];
  };
  expect(fixes([0o644, 0o755])).toEqual([`chmod 600 ${env}`, `chmod 700 ${data}`]);
  expect(fixes([0o640, 0o750])).toEqual([]);
  rmSync(folder, { recursive: true });
});
