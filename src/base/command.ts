// The command of this installation, for messages that say what to run next.
import { join, relative } from 'node:path';
import { installationFolder } from './installation.ts';

/** A path that works in `folder`: never a bare name, which `npx` would look up in a public registry. */
export function commandIn(folder: string): string {
  const path = join(installationFolder, 'bin/slotstream');
  const fromFolder = relative(folder, path);
  return fromFolder.startsWith('..') ? path : `./${fromFolder}`;
}

/** `./bin/slotstream` where the process was started in the folder of the project. */
export const slotstream = commandIn(process.cwd());
