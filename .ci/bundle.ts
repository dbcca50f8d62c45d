// The product in a few JavaScript files, together with most of the packages that it depends on: it starts in little more than half the time
// that 1,200 files take, and those packages have the versions that were tested.
import { cpSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { commitOf } from '../src/base/version.ts';
import manifest from '../package.json' with { type: 'json' };
import { thirdPartyNotices } from './third-party.ts';

const root = join(import.meta.dirname, '..');

/** What is installed beside the bundle, because it loads native code or files of its own folder. */
const installed = ['better-sqlite3', '@platformatic/kafka'] as const;
/** The same; without it, the queue is slower. */
const installedIfPossible = 'msgpackr-extract';
/** What a dependency uses where it is found, and we do not install. */
const missing = ['pg-native', 'supports-color'];

/** What starts by its specifier: the command, and what runs in a thread. */
const entries = { main: 'src/cli/main.ts', 'vacuum-worker': 'src/store/engines/sqlite-vacuum-worker.ts' };

/** Writes what is installed to `folder`, except its pages. */
export async function writeBundle(folder: string): Promise<void> {
  await using bundle = await rolldown({
    cwd: root,
    input: entries,
    platform: 'node',
    external: [...installed, installedIfPossible, ...missing],
    // An image is built without the folder of git.
    transform: { define: { BUILT_FROM_COMMIT: JSON.stringify(process.env['COMMIT'] ?? commitOf(root)) } },
    // Its main file is UMD, whose inner requires no bundler sees.
    resolve: { alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' } },
    onLog: (level, { message }) => {
      // An import that cannot be resolved is only a warning, and would fail when a process reaches it.
      if (level === 'warn') throw new Error(message);
    },
  });
  const { output } = await bundle.write({ dir: join(folder, 'lib'), comments: { jsdoc: false, annotation: false } });
  const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
  writeFileSync(join(folder, 'THIRD-PARTY.md'), thirdPartyNotices(root, modules));
  for (const path of ['bin', 'src/dashboard/assets']) cpSync(join(root, path), join(folder, path), { recursive: true });
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(installedManifest(), null, 2)}\n`);
}

/** The same with the packages of this checkout, so that it runs there. Returns its command. */
export async function writeRunnableBundle(folder: string): Promise<string> {
  await writeBundle(folder);
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return join(folder, 'bin/slotstream.js');
}

function installedManifest(): object {
  const { scripts: _scripts, devDependencies: _tools, ...published } = manifest;
  const { dependencies, optionalDependencies, overrides, ...described } = published;
  return {
    ...described,
    imports: Object.fromEntries(Object.entries(entries).map(([file, source]) => [`#${source}`, `./lib/${file}.js`])),
    dependencies: Object.fromEntries(installed.map((each) => [each, dependencies[each]])),
    optionalDependencies: { ...optionalDependencies, [installedIfPossible]: overrides[installedIfPossible] },
  };
}
