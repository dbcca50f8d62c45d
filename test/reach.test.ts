// How much code a person reads to believe a promise of the product: test/reach/figures.txt has the committed figures (npm run reach).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { figuresText, readFigures, risen, withReachTable } from './reach/figures.ts';
import { productSources } from './reach/modules.ts';
import { borders, declarations, figureOf, figuresOf, promises, rules, type Figure } from './reach/promises.ts';
import { readProgram } from './reach/reach.ts';

const root = join(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

describe('what a promise reaches', () => {
  const program = readProgram(productSources(root), rules);
  const committed = readFigures(read('test/reach/figures.txt'));

  it('is at most 2 % more than what is committed (npm run reach)', () => {
    expect(risen(committed, figuresOf(program))).toEqual([]);
  });

  it('is in docs/architecture.md as it is committed (npm run reach)', () => {
    const page = read('docs/architecture.md');
    expect(withReachTable(page, promises, committed)).toBe(page);
    expect(committed.map(({ promise }) => promise)).toEqual(promises.map(({ promise }) => promise));
    expect(figuresText(committed)).toBe(read('test/reach/figures.txt'));
  });

  it('begins, and ends, at files that exist', () => {
    const named = promises.flatMap(({ entries, beside = [] }) => [...entries, ...[beside].flat()]);
    const parts = [...named, ...Object.keys(borders), ...declarations.map((part) => part.replace(/\/$/, ''))];
    expect(parts.filter((part) => program.filesIn(part).length === 0)).toEqual([]);
  });
});

/** The files that `src/entry.ts` reaches in a program of these. */
const reachedIn = (sources: Readonly<Record<string, string>>): readonly string[] =>
  [...readProgram(sources, rules).reach(['src/entry.ts']).files].toSorted();

const helper = { 'src/helper.ts': 'export const help = () => 1;\n' };
const imports = {
  ...helper,
  'src/entry.ts': `import { help } from './helper.ts';\nexport const begin = () => help();\n`,
  'src/app/app.ts': `import { begin } from '#src/entry.ts';\nbegin();\n`,
};
const withNeeds = `export function begin({ help }: { help(): number }) { return help(); }\n`;

describe('a file reaches', () => {
  it('what it imports, and what the composition root hands in instead', () => {
    expect(reachedIn(imports)).toEqual(['src/entry.ts', 'src/helper.ts']);
    const handed = {
      ...helper,
      'src/entry.ts': withNeeds,
      'src/app/app.ts': `import { begin } from '#src/entry.ts';\nimport { help } from '#src/helper.ts';\nbegin({ help });\n`,
    };
    expect(reachedIn(handed)).toEqual(['src/entry.ts', 'src/helper.ts']);
  });

  it('what is handed in through functions, variables and objects of the root, with the files of those functions', () => {
    const handed = {
      ...helper,
      'src/entry.ts': withNeeds,
      'src/unused.ts': 'export const unused = 1;\n',
      'src/app/app.ts': `import { begin } from '#src/entry.ts';
        import { partsOf } from './parts.ts';
        export const start = ({ unused }) => begin({ ...partsOf({ unused }), unused });`,
      'src/app/parts.ts': `import { unused } from '#src/unused.ts';
        export function partsOf(needs) {
          const load = async () => (await import('#src/helper.ts')).help();
          return { unused, help: () => load() };
        }`,
    };
    expect(reachedIn(handed)).toEqual(['src/app/parts.ts', 'src/entry.ts', 'src/helper.ts']);
  });

  it('what was handed in to its caller, and is passed on', () => {
    const passed = {
      ...helper,
      'src/entry.ts': withNeeds,
      'src/caller.ts': `import { begin } from './entry.ts';\nexport const call = (needs) => begin({ ...needs, a: 1 });\n`,
      'src/app/app.ts': `import { call } from '#src/caller.ts';\nimport { help } from '#src/helper.ts';\ncall({ help });\n`,
    };
    expect(reachedIn(passed)).toEqual(['src/entry.ts', 'src/helper.ts']);
  });

  it('what it loads later', () => {
    const later = { ...helper, 'src/entry.ts': `export const begin = () => import('./helper.ts');\n` };
    expect(reachedIn(later)).toEqual(['src/entry.ts', 'src/helper.ts']);
  });

  it('what it passes on as an export', () => {
    const passed = { ...helper, 'src/entry.ts': `export { help } from './helper.ts';\n` };
    expect(reachedIn(passed)).toEqual(['src/entry.ts', 'src/helper.ts']);
  });

  it('no file of which it only has types', () => {
    const types = {
      ...helper,
      'src/entry.ts': `import type { A } from './helper.ts';\nimport { type B } from './helper.ts';\nexport type { C } from './helper.ts';\nexport const begin = (a: A, b: B) => [a, b];\n`,
    };
    expect(reachedIn(types)).toEqual(['src/entry.ts']);
  });

  it('its own values of a name, not what others get under that name', () => {
    const two = {
      'src/entry.ts': 'export const begin = ({ store }) => store.read();\n',
      'src/other.ts': 'export const open = ({ store }) => store.read();\n',
      'src/red.ts': 'export const openRed = () => ({ read() {} });\n',
      'src/blue.ts': 'export const openBlue = () => ({ read() {} });\n',
      'src/app/app.ts': `import { begin } from '#src/entry.ts';
        import { open } from '#src/other.ts';
        import { openRed } from '#src/red.ts';
        import { openBlue } from '#src/blue.ts';
        function first() { const store = openRed(); begin({ store }); }
        function second() { const store = openBlue(); open({ store }); }`,
    };
    expect(reachedIn(two)).toEqual(['src/entry.ts', 'src/red.ts']);
  });

  it('what is behind a contract, and declarations, apart; a promise that begins there has it', () => {
    const sources = {
      'src/entry.ts': `import './store/open-store.ts';\nimport './store/schema/tables.ts';\n`,
      'src/store/open-store.ts': `import './engine.ts';\n`,
      'src/store/engine.ts': 'export {};\n',
      'src/store/schema/tables.ts': 'export {};\n',
    };
    const program = readProgram(sources, rules);
    const promised = { promise: 'p', goal: 1 };
    const at = (...entries: readonly string[]) => figureOf(program, { ...promised, entries });
    expect(at('src/entry.ts')).toMatchObject({ lines: 2, declared: 1, behind: { files: 2, lines: 2 } });
    expect(at('src/entry.ts', 'src/store/open-store.ts')).toMatchObject({
      lines: 4,
      declared: 1,
      behind: { files: 0 },
    });
  });
});

describe('a committed figure', () => {
  const figure = (lines: number, files: readonly string[] = ['src/a.ts']): Figure => ({
    promise: 'p',
    lines,
    byImports: lines,
    declared: 0,
    behind: { files: 0, lines: 0 },
    files,
  });

  it('may be exceeded by 2 %, and by more only with a new count', () => {
    const today = figure(1_030, ['src/a.ts', 'src/b.ts']);
    expect(risen([figure(1_000)], [today])).toEqual(['p: from 1,000 to 1,030 lines; new are src/b.ts']);
    expect(risen([figure(1_000)], [figure(1_021)])).toEqual(['p: from 1,000 to 1,021 lines; no file is new']);
    for (const lines of [1_020, 1_010, 1_000, 500]) expect(risen([figure(1_000)], [figure(lines)])).toEqual([]);
  });

  it('exists for every promise', () => {
    expect(risen([], [figure(1)])).toEqual(['p: it has no committed figure']);
  });
});
