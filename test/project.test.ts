// The files around the code agree with the code: Dockerfile, compose.yaml, lock file, CI.
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { validate } from 'dockerfile-utils';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { verbs } from '#src/cli/verbs.ts';
import type { Setting } from '#src/config/readers.ts';
import { loadConfig } from '#src/config/load.ts';
import { groupOf } from '#src/config/setting-groups.ts';
import { settings } from '#src/config/variables.ts';

const root = join(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

describe('the top level', () => {
  it('has the folders of the project, what tools look for there, and the pages of a community, and nothing else', () => {
    const folders = ['bench', 'bin', 'docs', 'schemas', 'src', 'test', 'workers'];
    const forTools = [
      'Dockerfile',
      'compose.yaml',
      'package-lock.json',
      'package.json',
      'tsconfig.json',
      'vitest.config.ts',
    ];
    const pages = ['CHANGELOG.md', 'CODE_OF_CONDUCT.md', 'CONTRIBUTING.md', 'LICENSE', 'README.md', 'SECURITY.md'];
    const ignored = read('.gitignore')
      .split('\n')
      .map((line) => line.replaceAll('/', ''));
    const found = readdirSync(root).filter((name) => !name.startsWith('.') && !ignored.includes(name));
    expect(found.toSorted()).toEqual([...folders, ...forTools, ...pages].toSorted());
  });
});

describe('installing', () => {
  it('takes packages from whichever registry npm is set to: the lock file names none', () => {
    expect(read('package-lock.json')).not.toContain('"resolved"');
  });
});

describe('CI', () => {
  const commands = read('.ci/run')
    .split('\n')
    .filter((line) => line !== '' && !/^(#|set |cd |export )/.test(line));
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  const stepsOf = (script: string): string[] =>
    scripts[script]?.split(' && ').map((step) => step.replace('npm run ', '')) ?? [];

  it("runs README's test command, then the static half of `npm run check`", () => {
    expect(commands).toEqual(['npm ci && npm test', 'npm run check:static']);
    expect(read('README.md')).toContain(`\`\`\`\n${commands[0]}\n\`\`\``);
    expect(stepsOf('check:static')).toEqual(['types', 'lint', 'format:check', 'unused', 'vocabulary']);
    expect(stepsOf('check')).toEqual(['lines', 'check:static', 'vitest run']);
  });
});

describe('code that goes past the published interface of a library', () => {
  it('names the version that it was tested with, which is the one installed: an upgrade is a decision', () => {
    const named = globSync('{schemas,src,workers}/**/*.ts', { cwd: root }).flatMap((file) =>
      [...read(file).matchAll(/^\/\/ Tested with (\S+) (\d+\.\d+\.\d+)/gm)].map(([, name, version]) => [name, version]),
    );
    expect(named.map(([name]) => name).toSorted()).toEqual(['bullmq', 'pg']);
    const installed = named.map(([name]) => [name, JSON.parse(read(`node_modules/${name}/package.json`)).version]);
    expect(named).toEqual(installed);
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
});

interface Service {
  readonly env_file?: unknown;
  readonly command: readonly string[];
  readonly environment: Record<string, string>;
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
}

describe('compose.yaml', () => {
  const file = parse(read('compose.yaml'), { merge: true }) as {
    readonly services: Record<'receiver' | 'worker' | 'redis' | 'postgres', Service>;
  };
  const { receiver, worker, redis } = file.services;

  it('runs verbs that exist with variables that are read', () => {
    const variables = new Set(Object.entries<Setting>(settings).flatMap(([name, { alias }]) => [name, alias ?? name]));
    for (const service of [receiver, worker]) {
      expect(verbs.map(({ name }) => name)).toContain(service.command[0]);
      expect(Object.keys(service.environment).filter((name) => !variables.has(name))).toEqual([]);
    }
  });

  it('gives no container what it does not need', () => {
    for (const service of Object.values(file.services)) {
      expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
      expect(service).toMatchObject({ mem_limit: expect.any(String), pids_limit: expect.any(Number) });
    }
    for (const service of [receiver, worker, redis]) expect(service).not.toHaveProperty('cap_add');
    for (const service of [receiver, worker]) expect(service).toMatchObject({ ulimits: { core: 0 } });
  });

  it('gives the receiver the settings that it reads, and no other: not the token of the service, nor addresses of alerts', () => {
    expect([receiver.env_file, worker.env_file]).toEqual([undefined, [{ path: '.env', required: false }]]);
    const groups = new Set(['Where data is stored', 'Webhooks', 'Dashboard, API, metrics and AI models']);
    const read = Object.keys(settings).filter(
      (name) => groups.has(groupOf(name)) && !/^(MCP|DATABASE_READ)_/.test(name),
    );
    const expected = [...read, 'PUBLIC_URL', 'ANSWERS', 'LOG_LEVEL'];
    expect(Object.keys(receiver.environment).toSorted()).toEqual(expected.toSorted());
    // A blank setting is an unset one, unless a missing one must be noticed.
    const empty = Object.entries(receiver.environment).flatMap(([name, value]) =>
      value === `\${${name}:-}` ? [[name, '']] : [],
    );
    expect(empty.length).toBeGreaterThan(10);
    expect(loadConfig(Object.fromEntries(empty) as Record<string, string>)).toEqual(loadConfig({}));
  });

  it('publishes the webhook, and everything else on the loopback address of the host only', () => {
    const published = Object.values(file.services).flatMap(({ ports = [] }) => ports);
    expect(published).toEqual(['8080:8080', '127.0.0.1:8100:8081', '127.0.0.1:8081-8099:8081']);
  });

  it('keeps what Redis has acknowledged', () => {
    expect(redis.command.join(' ')).toMatch(/--appendonly yes.*--maxmemory-policy noeviction/);
    expect(redis.volumes).toHaveLength(1);
  });

  it('holds no secret of its own', () => {
    const secrets = read('compose.yaml').match(/(PASSWORD|TOKEN|SIGNING_KEYS): .*/g) ?? [];
    expect(secrets.filter((line) => !line.includes('${') && !line.includes(": ''"))).toEqual([]);
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
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(read('package.json'));
    const versions = Object.entries<string>({ ...dependencies, ...devDependencies, ...optionalDependencies });
    expect(versions.filter(([, version]) => !/^(npm:[@\w/-]+@)?\d+\.\d+\.\d+[\w.-]*$/.test(version))).toEqual([]);
  });

  it('are locked with a checksum', () => {
    expect(named(({ integrity }) => !integrity?.startsWith('sha512-'))).toEqual([]);
  });

  it('have licences that allow what this project does with them', () => {
    const permissive = ['MIT', 'MIT-0', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', '0BSD', 'Unlicense'];
    // These packages are tools of the tests. The Mozilla licence concerns changes to the package itself, CC-BY-4.0 is of a table of
    // browsers, CC0-1.0 gives up all rights, and Blue Oak is permissive.
    const allowedInTests = ['MPL-2.0', 'CC-BY-4.0', 'CC0-1.0', 'BlueOak-1.0.0'];
    const allowed = ({ license = '', dev }: Locked): boolean =>
      permissive.includes(license) || (dev === true && allowedInTests.includes(license));
    expect(named((one) => !allowed(one))).toEqual([]);
  });

  it('run no script when they are installed', () => {
    expect(read('.npmrc')).toContain('ignore-scripts=true');
    // It compiles an accelerator that nothing here needs.
    expect(named(({ hasInstallScript }) => hasInstallScript === true)).toEqual(['node_modules/msgpackr-extract']);
  });
});
