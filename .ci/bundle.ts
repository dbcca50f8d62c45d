// The product in a few JavaScript files, together with most of the packages that it depends on: it starts in little more than half the time
// that 1,200 files take, and those packages have the versions that were tested.
import { cpSync, globSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown, type OutputAsset, type OutputChunk } from 'rolldown';
import { commitOf } from '../src/base/version.ts';
import manifest from '../package.json' with { type: 'json' };
import { apiDeclarations, entryDeclarations, libraryEntries } from './api-declarations.ts';
import { thirdPartyNotices } from './third-party.ts';

const root = join(import.meta.dirname, '..');

/** What is installed beside the bundle, because it loads native code or files of its own folder. */
const installed = ['better-sqlite3', '@platformatic/kafka'] as const;
/** The same; without it, the queue is slower. */
const installedIfPossible = 'msgpackr-extract';
/** What a dependency uses where it is found, and we do not install. */
const missing = ['pg-native', 'supports-color'];

/** What starts by its specifier: the command, and what runs in a thread or a process of its own. */
const entries = {
  main: 'src/cli/main.ts',
  'vacuum-worker': 'src/store/engines/sqlite-vacuum-worker.ts',
  'reader-process': 'src/api/reader-process.ts',
};

/** The imports that stand alone, in any runtime: small, and each in one file. */
const standalone = ['webhooks', 'client'];

/** Writes what is installed to `folder`, except its pages. */
export async function writeBundle(folder: string): Promise<void> {
  const modules = [...(await writeProgram(folder)), ...(await writeStandalone(folder))];
  writeFileSync(join(folder, 'THIRD-PARTY.md'), thirdPartyNotices(root, modules));
  writeFileSync(join(folder, 'lib/api.d.ts'), apiDeclarations());
  for (const [name, text] of Object.entries(entryDeclarations())) writeFileSync(join(folder, `lib/${name}.d.ts`), text);
  writeFileSync(join(folder, 'lib/tables.js'), 'export {};\n');
}

/** Only what the command needs. */
async function writeProgram(folder: string): Promise<readonly string[]> {
  const modules = await writeProduct(folder);
  const read = ['bin', 'src/addons/dashboard/assets', ...globSync('src/store/views/*.sql', { cwd: root })];
  for (const path of read) cpSync(join(root, path), join(folder, path), { recursive: true });
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(installedManifest(), null, 2)}\n`);
  return modules;
}

async function writeStandalone(folder: string): Promise<readonly string[]> {
  const modules: string[] = [];
  for (const name of standalone) {
    await using bundle = await rolldown({
      cwd: root,
      input: { [name]: `src/library/${name}.ts` },
      platform: 'neutral',
      external: /^node:/,
      // The functions of zod without its methods: a third of the size.
      resolve: { alias: { zod: 'zod/mini' } },
      transform: { target: 'es2022', inject: { Buffer: ['node:buffer', 'Buffer'] } },
      treeshake: { moduleSideEffects: false },
      onLog: failOnWarning,
    });
    const { output } = await bundle.write({ dir: join(folder, 'lib'), minify: true });
    modules.push(...modulesOf(output));
  }
  return modules;
}

const modulesOf = (output: readonly (OutputChunk | OutputAsset)[]): readonly string[] =>
  output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));

/** An import that cannot be resolved is only a warning, and would fail when a process reaches it. */
function failOnWarning(level: string, { message }: { readonly message: string }): void {
  if (level === 'warn') throw new Error(message);
}

async function writeProduct(folder: string): Promise<readonly string[]> {
  const library = Object.entries(libraryEntries).filter(([name]) => !standalone.includes(name));
  await using bundle = await rolldown({
    cwd: root,
    input: { ...entries, ...Object.fromEntries(library) },
    platform: 'node',
    external: [...installed, installedIfPossible, ...missing],
    // An image is built without the folder of git.
    transform: { define: { BUILT_FROM_COMMIT: JSON.stringify(process.env['COMMIT'] ?? commitOf(root)) } },
    // Its main file is UMD, whose inner requires no bundler sees.
    resolve: { alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' } },
    onLog: failOnWarning,
  });
  const { output } = await bundle.write({ dir: join(folder, 'lib'), comments: { jsdoc: false, annotation: false } });
  return modulesOf(output);
}

/** The program with the packages of this checkout, so that it runs there. Returns its command. */
export async function writeRunnableBundle(folder: string): Promise<string> {
  await writeProgram(folder);
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return join(folder, 'bin/slotstream.js');
}

function installedManifest(): object {
  const { scripts: _scripts, devDependencies: _tools, ...published } = manifest;
  const { dependencies, optionalDependencies, overrides, ...described } = published;
  return {
    ...described,
    exports: installedExports(),
    imports: Object.fromEntries(Object.entries(entries).map(([file, source]) => [`#${source}`, `./lib/${file}.js`])),
    dependencies: Object.fromEntries(installed.map((each) => [each, dependencies[each]])),
    optionalDependencies: { ...optionalDependencies, [installedIfPossible]: overrides[installedIfPossible] },
  };
}

/** In the project they are its sources. */
function installedExports(): object {
  const names = Object.entries(manifest.exports).map(([specifier, target]) => {
    const [, name] = /^\.\/src\/library\/(.+)\.ts$/.exec(String(target)) ?? [];
    const file = name ?? (specifier === './tables' ? 'tables' : undefined);
    return [specifier, file === undefined ? target : { types: `./lib/${file}.d.ts`, default: `./lib/${file}.js` }];
  });
  return Object.fromEntries(names) as object;
}
