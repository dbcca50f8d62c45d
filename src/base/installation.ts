// Where this program is installed. Its files are elsewhere in a checkout and in a package, and the folder above them is the same.
import { findPackageJSON } from 'node:module';
import { dirname } from 'node:path';

/** It has the command (`bin`) and the files that are read, not loaded. */
export const installationFolder = dirname(findPackageJSON(import.meta.url) ?? '');
