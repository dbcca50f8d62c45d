// Where this program is installed, and its command, for messages that say what to run next.
import { findPackageJSON } from 'node:module';
import { dirname, join, relative } from 'node:path';

/** It has `bin` and the files that are read, not loaded. Modules are in other folders of it in a checkout than in a package. */
export const installationFolder = dirname(findPackageJSON(import.meta.url) ?? '');

/** A path that works in `folder`: never a bare name, which `npx` would look up in a public registry. */
export function commandIn(folder: string): string {
  const path = join(installationFolder, 'bin/slotstream');
  const fromFolder = relative(folder, path);
  return fromFolder.startsWith('..') ? path : `./${fromFolder}`;
}

/** A POSIX shell expands nothing within single quotes; a single quote ends the quotation, is escaped, and begins it again. */
export const shellQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** `./bin/slotstream` where the process was started in the folder of the project. */
export const slotstream = commandIn(process.cwd());
