// The files around the code agree with the code: README, docs, .env.example, Dockerfile, compose.yaml, lock file, CI.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { validate } from 'dockerfile-utils';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { verbs } from '#src/cli/verbs.ts';
import type { Setting } from '#src/config/readers.ts';
import { settings } from '#src/config/variables.ts';
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

describe('README', () => {
  const readme = read('README.md');

  it('names the two commands of a fresh machine', () => {
    expect(readme).toContain('npm ci && npm run demo');
    expect(readme).toContain('npm ci && npm test');
  });

  it('is a front door of at most 150 lines', () => {
    expect(readme.split('\n').length).toBeLessThanOrEqual(151);
  });

  it('leads to every page of the documentation', () => {
    const linked = pages.flatMap((page) => linksOf(page));
    expect(pages.filter((page) => page !== 'README.md' && !linked.includes(page))).toEqual([]);
  });
});

describe('the documentation', () => {
  it('shows every setting as the code reads it (npm run settings)', () => {
    const page = read('docs/configuration.md');
    expect(withSettingsTable(page)).toBe(page);
    expect(read('.env.example')).toBe(envExample());
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

  it('has none of the sentences that new users had to read twice', () => {
    const files = globSync('{*.md,.env.example,{docs,src,workers,schemas}/**/*.{md,ts}}', { cwd: root });
    const found = files.flatMap(
      (file) =>
        read(file)
          .match(hardToRead)
          ?.map((phrase) => `${file}: ${phrase}`) ?? [],
    );
    expect(found).toEqual([]);
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
});

const hardToRead = new RegExp(
  [
    ...['what the service does not deliver', 'it, or the rate budget', 'would go on after page', 'can be had by'],
    ...['old one may go', 'what mends', 'the log holds \\d', 'speaks? through', 'begin behind', 'the newest so many'],
    ...['another world', 'happen by themselves', 'gave up a time', 'took another time', 'Who books again'],
    ...['what speaks like', 'sudden many', 'leave without the queue', 'as the service would answer', 'may run twice'],
    ...[
      'makes the new before',
      'lost a mention',
      'Given up:',
      'the rule looks away',
      'So has at last',
      'Tried again is',
    ],
    ...['part of what an alert is', 'Canceled is also', 'Whoever', 'the last we know of', 'claims it besides'],
    ...['comes to stand', 'slows down nobody', 'piles up', 'sixteen bits', 'refused in its words', 'This page is for'],
    ...['\\blevers?\\b', '\\bwholly\\b', '\\blooks? after\\b', '1 entries'],
  ].join('|'),
  'g',
);

/** Paths, from the root of the repository, that a page links to. */
function linksOf(page: string): readonly string[] {
  return [...read(page).matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map(([, path = '']) => join(dirname(page), path));
}

describe('installing', () => {
  it('takes packages from whichever registry npm is set to: the lock file names none', () => {
    expect(read('package-lock.json')).not.toContain('"resolved"');
  });

  it('runs in CI what the README says, and nothing else', () => {
    const commands = read('.ci/run')
      .split('\n')
      .filter((line) => /^\s*(npm|npx|node)\b/.test(line));
    expect(commands).toEqual(['npm ci && npm test']);
  });
});

describe('Dockerfile', () => {
  const text = read('Dockerfile');
  const steps = text
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => /^[A-Z]+ /.test(line));
  const lastStage = steps.slice(steps.findLastIndex((step) => step.startsWith('FROM ')));

  it('has no remark from the validator', () => {
    expect(validate(text)).toEqual([]);
  });

  it('builds in stages and runs as a user without rights, with a health check', () => {
    expect(steps.filter((step) => step.startsWith('FROM ')).length).toBeGreaterThanOrEqual(2);
    expect(lastStage).toContain('USER node');
    expect(lastStage.some((step) => step.startsWith('HEALTHCHECK '))).toBe(true);
    const workAsRoot = lastStage.slice(lastStage.indexOf('USER node')).filter((step) => /^(RUN|COPY|ADD) /.test(step));
    expect(workAsRoot).toEqual([]);
  });

  it('copies only what exists, and what .dockerignore lets through', () => {
    const allowed = read('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'));
    const sources = steps
      .filter((step) => step.startsWith('COPY ') && !step.includes('--from='))
      .flatMap((step) => step.split(/\s+/).slice(1, -1));
    expect(sources.length).toBeGreaterThan(0);
    expect(sources.filter((source) => !existsSync(new URL(`../${source}`, import.meta.url)))).toEqual([]);
    expect(sources.filter((source) => !allowed.includes(`!${source}`))).toEqual([]);
  });

  it('starts a verb that exists', () => {
    expect(steps.find((step) => step.startsWith('CMD '))).toBe('CMD ["start"]');
    expect(knownVerbs).toContain('start');
  });
});

interface Service {
  readonly command: readonly string[];
  readonly environment: Record<string, string>;
  readonly healthcheck?: object;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
}

describe('compose.yaml', () => {
  const file = parse(read('compose.yaml'), { merge: true }) as {
    readonly services: Record<'receiver' | 'worker' | 'redis' | 'postgres', Service>;
    readonly volumes: Record<string, null>;
  };
  const { receiver, worker, redis, postgres } = file.services;

  it('runs verbs that exist with variables that are read', () => {
    const variables = new Set(Object.entries<Setting>(settings).flatMap(([name, { alias }]) => [name, alias ?? name]));
    for (const service of [receiver, worker]) {
      expect(knownVerbs).toContain(service.command[0]);
      expect(Object.keys(service.environment).filter((name) => !variables.has(name))).toEqual([]);
    }
  });

  it('gives no container what it does not need', () => {
    for (const service of Object.values(file.services)) {
      expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
      expect(service).toMatchObject({ mem_limit: expect.any(String), pids_limit: expect.any(Number) });
    }
    for (const service of [receiver, worker, redis]) expect(service).not.toHaveProperty('cap_add');
  });

  it('publishes the webhook, and everything else on the loopback address of the host only', () => {
    const published = Object.values(file.services).flatMap(({ ports = [] }) => ports);
    expect(published).toEqual(['8080:8080', '127.0.0.1:8100:8081', '127.0.0.1:8081-8099:8081']);
    expect(published.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual(['8080:8080']);
  });

  it('keeps what Redis has acknowledged', () => {
    expect(redis.command.join(' ')).toMatch(/--appendonly yes.*--maxmemory-policy noeviction/);
    expect(redis.volumes).toHaveLength(1);
  });

  it('waits for healthy engines and names every volume', () => {
    expect(redis.healthcheck).toBeDefined();
    expect(postgres.healthcheck).toBeDefined();
    const mounted = Object.values(file.services).flatMap(({ volumes = [] }) =>
      volumes.map((volume) => volume.split(':')[0]),
    );
    expect(mounted.toSorted()).toEqual(Object.keys(file.volumes).toSorted());
  });

  it('holds no secret of its own', () => {
    const secrets = read('compose.yaml').match(/(PASSWORD|TOKEN|SIGNING_KEYS): .*/g) ?? [];
    expect(secrets.filter((line) => !line.includes('${'))).toEqual([]);
  });
});

describe('the dependencies', () => {
  interface Locked {
    readonly version: string;
    readonly license?: string;
    readonly integrity?: string;
    readonly hasInstallScript?: true;
    readonly dev?: true;
  }
  const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> };
  const locked = Object.entries(packages).filter(([path]) => path !== '');
  const named = (found: (one: Locked) => boolean): string[] =>
    locked.filter(([, one]) => found(one)).map(([path]) => path);

  it('are named with exact versions', () => {
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(read('package.json')) as Record<
      string,
      Record<string, string> | undefined
    >;
    const versions = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies });
    expect(versions.filter(([, version]) => !/^(npm:[@\w/-]+@)?\d+\.\d+\.\d+[\w.-]*$/.test(version))).toEqual([]);
  });

  it('are locked with a checksum', () => {
    expect(named(({ integrity }) => !integrity?.startsWith('sha512-'))).toEqual([]);
  });

  it('have licences that allow what this project does with them', () => {
    const permissive = ['MIT', 'MIT-0', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', '0BSD', 'Unlicense'];
    // The Mozilla licence concerns changes to the package itself; these packages are tools of the tests.
    const allowed = ({ license = '', dev }: Locked): boolean =>
      permissive.includes(license) || (license === 'MPL-2.0' && dev === true);
    expect(named((one) => !allowed(one))).toEqual([]);
  });

  it('run no script when they are installed', () => {
    expect(read('.npmrc')).toContain('ignore-scripts=true');
    // Compiles an accelerator that nothing here needs; scripts are off, so it does not.
    expect(named(({ hasInstallScript }) => hasInstallScript === true)).toEqual(['node_modules/msgpackr-extract']);
  });
});

describe('the tests', () => {
  const testFiles = globSync('test/**/*.ts', { cwd: root });

  it('give every property a number of cases and a seed', () => {
    const times = (text: string, what: RegExp): number => text.match(what)?.length ?? 0;
    const unbounded = testFiles.filter((path) => {
      const text = read(path);
      return times(text, /\bfc\.assert\($/gm) + times(text, /\bfc\.assert\(\w/g) !== times(text, /\bruns\(.+\)[,)]/g);
    });
    expect(unbounded.filter((path) => path !== 'test/project.test.ts')).toEqual([]);
  });
});
