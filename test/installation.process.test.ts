// What is installed: the bundle starts with the packages that its manifest names and no others, and carries the licences of what is in it.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeBundle } from '../.ci/bundle.ts';
import { sbomOf } from '../.ci/sbom.ts';
import project from '../package.json' with { type: 'json' };
import { openHome } from './harness/product.ts';

const root = join(import.meta.dirname, '..');
const folders = mkdtempSync(join(tmpdir(), 'slotstream-installation-'));
afterAll(() => rmSync(folders, { recursive: true, force: true }));
const folder = join(folders, 'installed');
mkdirSync(folder);

interface Manifest {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
}
let manifest: Manifest;
let packed: ReturnType<typeof pack>;

beforeAll(async () => {
  await writeBundle(folder);
  manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  // Optional ones are missing, as on a platform that has none.
  for (const name of Object.keys(manifest.dependencies)) {
    const link = join(folder, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), link);
  }
  packed = pack();
});

/** The package as npm makes it, in a folder without anything else. It brings what npm would download. */
function pack() {
  const [tarball, empty] = [join(folders, 'tarball'), join(folders, 'empty')];
  for (const path of [tarball, empty]) mkdirSync(path);
  const parts = ['bin', 'lib', 'src', 'THIRD-PARTY.md'];
  for (const part of parts) cpSync(join(folder, part), join(tarball, part), { recursive: true });
  const sqlite = join(tarball, 'node_modules/better-sqlite3');
  // Without its sources, and the code for other platforms.
  const left = new RegExp(
    `better-sqlite3/(deps|src|binding\\.gyp|prebuilds/(?!${process.platform}(musl)?-${process.arch}))`,
  );
  cpSync(join(root, 'node_modules/better-sqlite3'), sqlite, { recursive: true, filter: (path) => !left.test(path) });
  writeFileSync(
    join(sqlite, 'package.json'),
    JSON.stringify({ name: 'better-sqlite3', main: 'lib/index.js', version: '0.0.0' }),
  );
  const offline = { dependencies: { 'better-sqlite3': '0.0.0' }, bundleDependencies: ['better-sqlite3'] };
  writeFileSync(join(tarball, 'package.json'), JSON.stringify({ ...manifest, ...offline, optionalDependencies: {} }));
  const args = ['pack', tarball, '--json', '--offline'];
  const [{ filename, files }] = JSON.parse(
    execFileSync('npm', args, { cwd: empty, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  ) as [{ filename: string; files: { path: string }[] }];
  const paths = files.map(({ path }) => path).filter((path) => !path.startsWith('node_modules/'));
  return { in: empty, name: filename, paths };
}

/** This Node, and another one that the machine has: often an older one. */
function nodes(): readonly string[] {
  const paths = (process.env['PATH'] ?? '').split(':').map((part) => join(part, 'node'));
  const found = paths.filter((path) => existsSync(path)).map((path) => realpathSync(path));
  return [...new Set([process.execPath, ...found])];
}

const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}): string =>
  execFileSync(process.execPath, args, { cwd: folder, env, encoding: 'utf8' });

describe('an installation', () => {
  it('has versions of the project for every package that it does not contain', () => {
    expect(manifest.version).toBe(project.version);
    expect(project.dependencies).toMatchObject(manifest.dependencies);
    expect(project.overrides).toMatchObject({ 'msgpackr-extract': manifest.optionalDependencies['msgpackr-extract'] });
  });

  it('is published with its address and provenance, exports what docs/typescript.md names, and holds no source', () => {
    expect(manifest).toMatchObject({
      repository: { url: 'git+https://github.com/slotstream/slotstream.git' },
      publishConfig: { access: 'public', provenance: true },
    });
    expect(Object.keys(manifest)).not.toEqual(expect.arrayContaining(['private']));
    expect(packed.paths).toEqual(
      expect.arrayContaining(['bin/slotstream', 'lib/main.js', 'THIRD-PARTY.md', 'package.json']),
    );
    expect(packed.paths.filter((path) => /(?<!\.d)\.ts$|^(test|workers|schemas)\b/.test(path))).toEqual([]);
  });

  it('has no remark from publint, and small imports that need nothing else', async () => {
    const { messages } = await publint({ pkgDir: folder, pack: false, strict: true });
    expect(messages.map(({ code, path }) => [code, path.join('.')])).toEqual([]);
    expect(statSync(join(folder, 'lib/webhooks.js')).size).toBeLessThan(60_000);
    expect(statSync(join(folder, 'lib/client.js')).size).toBeLessThan(8_000);
    const importedBy = (file: string) => {
      const imported = readFileSync(join(folder, 'lib', file), 'utf8').matchAll(/(?:from|import)\s*"([^"]+)"/g);
      return [...new Set([...imported].map(([, name]) => name))].toSorted();
    };
    expect(importedBy('webhooks.js')).toEqual(['node:buffer', 'node:crypto']);
    expect(importedBy('client.js')).toEqual([]);
  });

  it('has types for the examples, with module resolution nodenext, the strictest', () => {
    const project = mkdtempSync(join(folder, 'project-'));
    cpSync(join(root, 'docs/examples/typescript'), project, { recursive: true });
    const page = readFileSync(join(root, 'docs/typescript.md'), 'utf8');
    for (const [index, [, code = '']] of [...page.matchAll(/```ts\n([^]*?)```/g)].entries())
      writeFileSync(join(project, `page-${index}.ts`), code);
    // Neither zod nor the types of drivers.
    for (const name of ['hono', 'kysely', '@types/node', 'undici-types']) {
      mkdirSync(dirname(join(project, 'node_modules', name)), { recursive: true });
      symlinkSync(join(root, 'node_modules', name), join(project, 'node_modules', name));
    }
    symlinkSync(folder, join(project, 'node_modules/slotstream'));
    writeFileSync(join(project, 'package.json'), '{"type":"module"}');
    const compilerOptions = {
      module: 'nodenext',
      target: 'es2023',
      lib: ['es2023', 'esnext.disposable'],
      types: ['node'],
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
    };
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
    const compiled = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', project], { encoding: 'utf8' });
    expect([compiled.stdout, compiled.status]).toEqual(['', 0]);
  });

  it('verifies webhooks on the oldest Node of this machine', () => {
    const script = `import { readWebhook, signWebhook } from './lib/webhooks.js';
      const key = 'a signing key of thirty-two bytes';
      const body = '{"event":"contact.deleted","created_at":"2025-04-14T11:42:33Z","payload":{"uri":"https://a.test/c/1"}}';
      const read = (bytes) => readWebhook({ body: bytes, headers: signWebhook({ body, key }), keys: [key] });
      console.log(read(body).payload.uri, read(body + ' ').refusal);`;
    const answers = nodes().map((node) =>
      execFileSync(node, ['--input-type=module', '-e', script], { cwd: folder, encoding: 'utf8' }),
    );
    expect(answers.length).toBeGreaterThan(0);
    expect(new Set(answers)).toEqual(new Set(['https://a.test/c/1 wrong\n']));
  });

  it('runs with npx in an empty folder, and names itself as it was called', () => {
    const { in: empty, name } = packed;
    const env = {
      PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
      HOME: empty,
      npm_config_update_notifier: 'false',
    };
    const args = ['--yes', '--offline', `./${name}`, 'demo', '--count', '3', '--rate', '50'];
    const demo = spawnSync('npx', args, { cwd: empty, env, encoding: 'utf8' });
    expect([demo.status, demo.stderr]).toEqual([0, expect.stringContaining(`$ npx ./${name} backfill`)]);
    expect(demo.stdout).toContain('event_log (last seq)');
    expect(readdirSync(empty).toSorted()).toEqual(['.npm', 'data', name]);
  });

  it('can load every file with those packages alone, and finds the files of the dashboard', () => {
    const programs = ['main.js', 'vacuum-worker.js', 'reader-process.js'];
    const files = globSync('*.js', { cwd: join(folder, 'lib') }).filter((name) => !programs.includes(name));
    expect(files.length).toBeGreaterThan(50);
    const load = `for (const name of ${JSON.stringify(files)}) await import('./lib/' + name);`;
    expect(run(['--input-type=module', '-e', load])).toBe('');
  });

  it('rewrites a SQLite file in a thread, a day after data was redacted', async () => {
    await using home = await openHome();
    const path = join(home.dataDir, 'mirror.db');
    const redactedAt = (set?: number): number => {
      const database = new Sqlite(path);
      if (set !== undefined) database.pragma(`user_version = ${set}`);
      const hour = Number(database.pragma('user_version', { simple: true }));
      database.close();
      return hour;
    };
    expect(redactedAt(1)).toBe(1);
    run(['bin/slotstream.js', 'erase', 'ada@example.com'], home.settings);
    expect(redactedAt()).toBe(0);
  });
});

it('the SBOM lists what is in the bundle, what is installed beside it, and nothing that only development needs', () => {
  const listed = sbomOf(root).components.map(({ name, version }) => `${name} ${version}`);
  const notices = readFileSync(join(folder, 'THIRD-PARTY.md'), 'utf8');
  const bundled = [...notices.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading);
  const beside = Object.entries(manifest.dependencies).map((each) => each.join(' '));
  expect(bundled.length).toBeGreaterThan(50);
  expect(listed).toEqual(expect.arrayContaining([...bundled, ...beside]));
  expect(listed.filter((each) => /^(vitest|typescript|rolldown) /.test(each))).toEqual([]);
});

describe('THIRD-PARTY.md', () => {
  it('has the licence of every package in the bundle, and of the parts that one took from others', () => {
    const text = readFileSync(join(folder, 'THIRD-PARTY.md'), 'utf8');
    const sections = text.split(/^## /m).slice(1);
    const names = sections.map((section) => section.slice(0, section.indexOf(' ')));
    const direct = Object.keys(project.dependencies).filter((name) => !(name in manifest.dependencies));
    expect(names).toEqual(expect.arrayContaining(direct));
    for (const section of sections) expect(section).toMatch(/permi(t|ssion)|licen[cs]e|public domain/i);
    for (const holder of ['Ethan Arrowood', 'Mathias Bynens', 'Evgeny Poberezkin']) expect(text).toContain(holder);
  });
});
