// Who may import whom, as a table. Arrows point one way: a floor knows the floors beneath it and nothing above.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');

/** Each part of the program, lowest first, and the parts it may import besides itself. */
const floors = {
  schemas: [],
  base: ['schemas'],
  'src/samples': ['schemas'],
  // How the API reads requests and answers: kept by the sandbox and by our own read API alike.
  'src/conventions': ['schemas'],
  // A service of its own: of ours it knows the signature it must make (see below) and the people of the samples.
  'src/sandbox': ['schemas', 'base', 'src/samples', 'src/conventions', 'src/openapi'],
  'src/queue': ['schemas', 'base'],
  'src/store': ['schemas', 'base'],
  'src/upstream': ['schemas', 'base'],
  // How API documents are made and shown.
  'src/openapi': ['schemas'],
  'src/feed': ['schemas', 'base', 'src/store'],
  'src/export': ['schemas', 'base', 'src/store'],
  workers: ['schemas', 'base', 'src/queue', 'src/store', 'src/upstream', 'src/feed'],
  'src/receiver': ['schemas', 'base', 'src/queue'],
  // Told what is stored, and what to remember: it does not know the store.
  'src/bootstrap': ['schemas', 'base', 'src/upstream'],
  'src/admin': ['schemas', 'base', 'src/conventions', 'src/openapi', 'src/queue', 'src/store', 'src/feed', 'workers'],
  'src/app': [
    'schemas',
    'base',
    'src/queue',
    'src/store',
    'src/upstream',
    'src/feed',
    'workers',
    'src/receiver',
    'src/bootstrap',
    'src/admin',
  ],
  'src/doctor': [
    'schemas',
    'base',
    'src/queue',
    'src/store',
    'src/upstream',
    'src/feed',
    'workers',
    'src/receiver',
    'src/bootstrap',
    'src/admin',
    'src/app',
  ],
  'src/cli': [
    'schemas',
    'base',
    'src/samples',
    'src/sandbox',
    'src/queue',
    'src/store',
    'src/upstream',
    'src/feed',
    'workers',
    'src/receiver',
    'src/bootstrap',
    'src/admin',
    'src/app',
    'src/doctor',
    'src/export',
  ],
} as const satisfies Record<string, readonly string[]>;

/** Values in, values out: no engine, no file, no network, no clock of its own. */
const pure = [
  /^schemas\//,
  /^src\/samples\//,
  /^src\/signature\.ts$/,
  /^src\/errors\.ts$/,
  /^workers\/projections\//,
  /^src\/bootstrap\/(callback|wanted|plan)\.ts$/,
];
const isPure = (path: string): boolean => pure.some((pattern) => pattern.test(path));
const purePackages = new Set(['zod', 'node:crypto']);

interface Module {
  readonly path: string;
  readonly text: string;
  readonly inside: readonly string[];
  /** Those of `inside` that are there at run time, not only for the compiler. */
  readonly insideValues: readonly string[];
  readonly packages: readonly string[];
}

const modules = globSync(['schemas/**/*.ts', 'src/**/*.ts', 'workers/**/*.ts'], { cwd: root })
  .toSorted()
  .map(readModule);

function readModule(path: string): Module {
  const text = readFileSync(join(root, path), 'utf8');
  const found = [...text.matchAll(/(?:^|\n)(?:import|export)(\stype)?\s[^;]*?from\s'([^']+)'|import\('([^']+)'\)/g)];
  const imports = found.map(([, onlyType, named, dynamic]) => ({
    from: named ?? dynamic ?? '',
    onlyType: Boolean(onlyType),
  }));
  const inside = imports.filter(({ from }) => /^[.#]/.test(from));
  const resolved = ({ from }: { from: string }) => (from.startsWith('#') ? from.slice(1) : join(dirname(path), from));
  return {
    path,
    text,
    inside: inside.map(resolved),
    insideValues: inside.filter(({ onlyType }) => !onlyType).map(resolved),
    packages: imports.filter((one) => !inside.includes(one)).map(({ from }) => from),
  };
}

/** A folder of src is a part of its own; of the files directly in src, all but the composition root are the base. */
function floorOf(path: string): string {
  const [top = '', second = '', ...deeper] = path.split('/');
  if (top !== 'src') return top;
  if (deeper.length > 0) return `src/${second}`;
  return second === 'app.ts' ? 'src/app' : 'base';
}

function mayImport(path: string): readonly string[] {
  const own = floorOf(path);
  return own in floors ? [own, ...floors[own as keyof typeof floors]] : [];
}

describe('the architecture', () => {
  it('has imports to look at', () => {
    expect(modules.flatMap(({ inside }) => inside).length).toBeGreaterThan(100);
  });

  it('gives every folder its floor', () => {
    expect(modules.map(({ path }) => path).filter((path) => !(floorOf(path) in floors))).toEqual([]);
  });

  it('lets every part import only the parts beneath it', () => {
    const upward = modules.flatMap(({ path, inside }) => {
      const allowed = mayImport(path);
      return inside.filter((target) => !allowed.includes(floorOf(target))).map((target) => `${path} → ${target}`);
    });
    expect(upward).toEqual([]);
  });

  it('keeps the sandbox a stranger: of the base it knows the signature only', () => {
    const known = modules
      .filter(({ path }) => path.startsWith('src/sandbox/'))
      .flatMap(({ inside }) => inside.filter((target) => floorOf(target) === 'base'));
    expect([...new Set(known)].filter((target) => target !== 'src/signature.ts')).toEqual([]);
  });

  it('has no cycles', () => {
    const targets = new Map(modules.map(({ path, inside }) => [path, inside]));
    const finished = new Set<string>();
    const visit = (path: string, trail: readonly string[]): readonly string[] => {
      if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path];
      if (finished.has(path)) return [];
      for (const target of targets.get(path) ?? []) {
        const cycle = visit(target, [...trail, path]);
        if (cycle.length > 0) return cycle;
      }
      finished.add(path);
      return [];
    };
    expect(modules.map(({ path }) => visit(path, [])).find((cycle) => cycle.length > 0)).toBeUndefined();
  });

  it('names files for what they hold: no barrels and no buckets', () => {
    const buckets = /\/(index|types|utils|helpers|common|interfaces)\.ts$/;
    expect(modules.map(({ path }) => path).filter((path) => buckets.test(path))).toEqual([]);
    expect(modules.filter(({ text }) => /^export (\*|\{[^}]*\}) from/m.test(text)).map(({ path }) => path)).toEqual([]);
  });

  it('keeps the pure parts pure', () => {
    const worldly = /\b(Date\.now|new Date\(\)|Math\.random|process\.|setTimeout|setInterval|fetch\()/;
    const impure = modules
      .filter(({ path }) => isPure(path))
      .flatMap(({ path, packages, insideValues, text }) => [
        ...packages.filter((name) => !purePackages.has(name)).map((name) => `${path} → ${name}`),
        ...insideValues.filter((target) => !isPure(target)).map((target) => `${path} → ${target}`),
        ...(worldly.test(text) ? [`${path} reads the world`] : []),
      ]);
    expect(impure).toEqual([]);
  });

  it('reads the environment in config and in the command line only', () => {
    const readers = modules.filter(({ text }) => text.includes('process.env')).map(({ path }) => path);
    expect(readers).toEqual(['src/cli/context.ts']);
  });

  it('has a sentence at the top of every file, and no file too long for one sitting', () => {
    expect(modules.filter(({ text }) => !/^(#!.*\n)?\/[/*]/.test(text)).map(({ path }) => path)).toEqual([]);
    expect(modules.filter(({ text }) => text.split('\n').length > 251).map(({ path }) => path)).toEqual([]);
  });
});
