// README and docs: links that lead somewhere, settings, dependencies and conformance as they are, and only commands that exist.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verbs } from '#src/cli/verbs.ts';
import { conformancePage, readClients, readRows } from '../.ci/conformance-page.ts';
import { envExample, withSettingsTable } from '../.ci/settings-pages.ts';

const root = join(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const manifest = JSON.parse(read('package.json')) as Record<
  'dependencies' | 'devDependencies' | 'optionalDependencies' | 'scripts',
  Record<string, string>
>;
const knownVerbs = new Set(verbs.map(({ name }) => name));

const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'schemas/README.md',
  ...globSync('docs/**/*.md', { cwd: root }),
];

describe('the documentation', () => {
  it('leads to each of its pages', () => {
    const linked = pages.flatMap((page) => linksOf(page));
    expect(pages.filter((page) => page !== 'README.md' && !linked.includes(page))).toEqual([]);
  });

  it('shows every setting as the code reads it (npm run settings)', () => {
    const page = read('docs/configuration.md');
    expect(withSettingsTable(page)).toBe(page);
    expect(read('.env.example')).toBe(envExample());
  });

  it('shows every row of test/conformance (npm run conformance)', () => {
    expect(read('docs/proof/conformance.md')).toBe(
      conformancePage(readRows(join(root, 'test/conformance')), readClients(join(root, 'test/clients/results.json'))),
    );
  });

  it('gives a reason for every dependency, and for nothing else', () => {
    const names = [...Object.keys(manifest.dependencies), ...Object.keys(manifest.devDependencies)];
    const optional = Object.keys(manifest.optionalDependencies);
    const explained = [...read('docs/dependencies.md').matchAll(/^\| (`[^|]+) \|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
    );
    expect(explained.toSorted()).toEqual([...names, ...optional].toSorted());
  });

  it('never suggests to run a bare name, which npx would look up in a public registry', () => {
    const files = globSync('{*.md,.env.example,{docs,src,workers,schemas}/**/*.{md,ts}}', { cwd: root });
    const current = files.filter((file) => file !== 'CHANGELOG.md');
    expect(current.filter((file) => read(file).includes('npx slotstream'))).toEqual([]);
  });

  it('mentions only scripts, commands and files that exist', () => {
    for (const page of pages) {
      const text = read(page);
      const scripts = [...text.matchAll(/npm run ([a-z:]+)/g)].map(([, name = '']) => name);
      expect(scripts.filter((name) => !(name in manifest.scripts))).toEqual([]);
      const named = [...text.matchAll(/\.\/bin\/slotstream ([a-z]+)/g)].map(([, name = '']) => name);
      expect(named.filter((name) => !knownVerbs.has(name))).toEqual([]);
      expect(linksOf(page).filter((path) => !existsSync(join(root, path)))).toEqual([]);
      const files = [...text.matchAll(/`(\.\.\/)?((?:src|workers|schemas|test)\/[\w./-]+)`/g)].map(
        ([, , path = '']) => path,
      );
      expect(files.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    }
  });

  it('links only to headings and marks that exist', () => {
    const broken = pages.flatMap((page) =>
      [...read(page).matchAll(/\]\(([^)#:]*)#([^)]+)\)/g)]
        .map(([, path = '', anchor = '']) => ({ target: path === '' ? page : join(dirname(page), path), anchor }))
        .filter(({ target, anchor }) => target.endsWith('.md') && !anchorsOf(target).has(anchor))
        .map(({ target, anchor }) => `${page}: ${target}#${anchor}`),
    );
    expect(broken).toEqual([]);
  });
});

/** Paths, from the root of the repository, that a page links to. */
function linksOf(page: string): readonly string[] {
  return [...read(page).matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map(([, path = '']) => join(dirname(page), path));
}

/** What can follow `#` in a link to a page: its headings as GitHub writes them, and marks such as `<a id="erasures">`. */
function anchorsOf(page: string): ReadonlySet<string> {
  const text = read(page);
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
  return new Set([...headings, ...[...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id)]);
}
