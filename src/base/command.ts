// Where this program is installed, and its command, for messages that say what to run next.
import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';

/** It has `bin` and the files that are read, not loaded. Modules are in other folders of it in a checkout than in a package. */
export const installationFolder = dirname(findPackageJSON(import.meta.url) ?? '');

/** The package that `npx` was called with, a name or a file: npm writes it beside what it installed. */
function npxPackage(home: string): string | undefined {
  try {
    const text = readFileSync(join(home, '../../package.json'), 'utf8');
    const manifest: { readonly _npx?: { readonly packages?: readonly string[] } } = JSON.parse(text);
    return manifest._npx?.packages?.[0];
  } catch {
    return undefined;
  }
}

/** The shortest form that works in `folder`. */
export function pathFrom(folder: string, path: string): string {
  const fromFolder = relative(folder, path);
  return fromFolder.startsWith('..') ? path : `./${fromFolder}`;
}

/** What runs this program in `folder`. A bare name only where `npx` finds it without looking it up in a public registry, or was called so. */
export function commandIn(folder: string, home = installationFolder): string {
  const npx = npxPackage(home);
  if (npx !== undefined) return `npx ${/^[\w@./+-]+$/.test(npx) ? npx : shellQuoted(npx)}`;
  const path = pathFrom(folder, join(home, 'bin/slotstream'));
  return path === './node_modules/slotstream/bin/slotstream' ? `npx ${basename(home)}` : path;
}

/** A POSIX shell expands nothing within single quotes; a single quote ends the quotation, is escaped, and begins it again. */
export const shellQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** `./bin/slotstream` where the process was started in the folder of the project; `npx …` where npx started it. */
export const slotstream = commandIn(process.cwd());
