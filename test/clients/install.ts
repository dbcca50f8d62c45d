// Installs clients from the npm registry into a folder of their own, with scripts off.
import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Client } from './client.ts';

const run = promisify(execFile);

/** `replaced` are packages that are taken from a file instead: name → path of its `.tgz`. */
export async function install(
  { packages, unpacked }: Client,
  folder: string,
  replaced: ReadonlyMap<string, string>,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "private": true }');
  const installed = packages.filter((each) => nameOf(each) !== unpacked);
  const sources = installed.map((each) => replaced.get(nameOf(each)) ?? each);
  await npm(folder, ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', ...sources]);
  for (const each of packages.filter((one) => nameOf(one) === unpacked)) {
    const { stdout } = await npm(folder, ['pack', '--silent', '--ignore-scripts', each]);
    await run('tar', ['-xzf', stdout.trim()], { cwd: folder });
    await mkdir(dirname(join(folder, 'node_modules', nameOf(each))), { recursive: true });
    await cp(join(folder, 'package'), join(folder, 'node_modules', nameOf(each)), { recursive: true });
  }
}

const npm = (cwd: string, args: readonly string[]) => run('npm', args, { cwd, timeout: 300_000 });

export const nameOf = (packageAndVersion: string): string =>
  packageAndVersion.slice(0, packageAndVersion.lastIndexOf('@'));

export async function versionOf(folder: string, name: string): Promise<string> {
  const { version } = JSON.parse(await readFile(join(folder, 'node_modules', name, 'package.json'), 'utf8')) as {
    version: string;
  };
  return version;
}
