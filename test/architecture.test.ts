// Which folder may import which, as a table. Imports point one way: a folder imports folders listed above it.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');

/** Each part of the program, lowest first, and the parts it may import besides itself. */
const floors: Readonly<Record<string, string>> = {
  schemas: '',
  'src/base': 'schemas',
  'src/signing': 'src/base',
  'src/egress': 'src/base',
  // HTTP rules shared by the API and the sandbox.
  'src/http': 'schemas src/base',
  'src/config': 'schemas src/{base,egress}',
  'src/observability': 'schemas src/{base,signing}',
  // A separate service: it shares only the signature and the HTTP rules with the product.
  'src/sandbox': 'schemas src/{signing,http}',
  'src/queue': 'src/base',
  'src/store': 'schemas src/{base,observability}',
  'src/upstream': 'schemas src/{base,config,observability}',
  'src/receiver': 'src/{base,signing,observability,queue}',
  // Receives what is stored and what to remember as arguments; it does not use the store.
  'src/subscriptions': 'schemas src/{base,signing,config,upstream}',
  // The fold: a delivery becomes an entry of the log and rows.
  'workers/fold/projections': 'schemas src/store',
  'workers/fold/pipeline': 'schemas src/{base,observability,queue,store} workers/fold/projections',
  'workers/fold/privacy': 'schemas src/{base,store} workers/fold/{projections,pipeline}',
  // Callers of the fold: what is read from the service, replay and rebuild; leases and jobs.
  'workers/sync/scheduling': 'src/{base,observability,store}',
  'workers/sync': 'schemas src/{base,store,upstream} workers/fold/{projections,pipeline}',
  'workers/fold/retention': 'src/{base,store} workers/fold/{projections,pipeline} workers/sync/scheduling',
  'src/feed': 'schemas src/{base,http,store} workers/fold/{pipeline,projections}',
  // What people and programs ask of the mirror, as typed functions.
  // What set a value is found by folding its entries again.
  'src/read': 'schemas src/{base,store} workers/fold/{projections,pipeline}',
  // Of src/config only the settings as people may see them, of src/queue only its contract.
  'src/api': `schemas src/{base,signing,config,http,observability,queue,store,read,feed}
    workers/fold/{projections,pipeline} workers/sync workers/sync/scheduling`,
  // What leaves the mirror.
  'workers/out/push': 'src/{base,signing,egress,store,feed}',
  'workers/out/push/brokers': 'src/{base,egress,feed} workers/out/push',
  'workers/out/alerts': `schemas src/{base,signing,egress,config,observability,store,read,feed}
    workers/fold/projections workers/sync workers/sync/scheduling`,
  // Buttons are answers of the API, too; the other way round, messages of alerts.
  'workers/out/slack': 'src/{base,egress,http,store,read,api} workers/out/alerts',
  // The pages show what src/api answers or reads; they use neither the store nor the workers.
  'src/addons/dashboard': 'schemas src/{base,http,read,api}',
  'src/addons/export': 'schemas src/{base,store} workers/fold/projections',
  'src/addons/object-storage': 'src/base src/addons/export',
  // Tools are answers of the API, too.
  'src/addons/mcp': 'schemas src/{base,http,read,api}',
  'src/app': `src/{base,signing,egress,config,observability,queue,store,read,upstream,feed,receiver,subscriptions,api}
    src/addons/{dashboard,mcp} workers/fold/{pipeline,privacy,retention} workers/sync workers/sync/scheduling
    workers/out/{push,alerts,slack} workers/out/push/brokers`,
  'src/doctor': `schemas src/{base,signing,config,observability,queue,store,read,upstream,receiver,subscriptions,api,app}
    workers/sync workers/out/{push,alerts,slack}`,
  'src/cli': `schemas src/{base,signing,config,observability,sandbox,queue,store,read,upstream,feed,receiver,subscriptions,api}
    src/{app,doctor} src/addons/{export,mcp,object-storage} workers/fold/{projections,pipeline,privacy,retention}
    workers/sync workers/sync/scheduling workers/out/{push,alerts}`,
  // What programs import: each file is one of the package's imports.
  'src/library': 'schemas src/{base,signing,config,observability,sandbox,feed,app}',
};

/** Two arrows go from the core to what stands above it. Each ends with the issue of that name. */
const upwardArrows = [
  { issue: 'door', from: /^src\/(feed|read|api)\//, to: /^workers\// },
  { issue: 'addons', from: /^src\/(app|doctor|cli)\//, to: /^(src\/addons|workers\/out)\// },
] as const;
const above = /^(src\/addons|workers)\//;

/** `src/{base,store}` is two parts. */
const partsIn = (text: string): readonly string[] =>
  text.split(/\s+/).flatMap((part) => {
    const [, folder, names] = /^(.*)\{(.*)\}$/.exec(part) ?? [];
    return names === undefined ? [part] : names.split(',').map((name) => folder + name);
  });

/** Values in, values out: no engine, no file, no network, no clock of its own. */
const pure = [
  /^schemas\//,
  /^src\/signing\/signature\.ts$/,
  /^src\/base\/errors\.ts$/,
  /^src\/store\/columns\.ts$/,
  /^workers\/fold\/projections\//,
  /^src\/subscriptions\/(callback|desired|plan)\.ts$/,
];
const isPure = (path: string): boolean => pure.some((pattern) => pattern.test(path));
const purePackages = new Set(['zod', 'node:crypto']);

/** What reads tables itself, besides src/store and src/read, and why. */
const readElsewhere = [
  ['src/addons/export/', 'It writes the tables, columns and rows that a person chose.'],
  ['workers/fold/privacy/', 'It finds what it erases, within the transaction that erases it.'],
  ['workers/sync/rebuild.ts', 'It compares the tables with those that it made from the log.'],
] as const;

interface Module {
  readonly path: string;
  readonly text: string;
  readonly inside: readonly string[];
  /** Those of `inside` that are there at run time, not only for the compiler. */
  readonly insideValues: readonly string[];
  /** Those of `inside` that are loaded later, by `import()`. */
  readonly insideLater: readonly string[];
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
    isLater: dynamic !== undefined,
  }));
  const inside = imports.filter(({ from }) => /^[.#].*\.ts$/.test(from));
  const resolved = ({ from }: { from: string }) => (from.startsWith('#') ? from.slice(1) : join(dirname(path), from));
  return {
    path,
    text,
    inside: inside.map(resolved),
    insideValues: inside.filter(({ onlyType }) => !onlyType).map(resolved),
    insideLater: inside.filter(({ isLater }) => isLater).map(resolved),
    packages: imports.filter((one) => !inside.includes(one)).map(({ from }) => from),
  };
}

/** The longest name in the table that the path begins with; otherwise its folder. */
function floorOf(path: string): string {
  const known = Object.keys(floors).filter((name) => path.startsWith(`${name}/`));
  return known.toSorted((one, other) => other.length - one.length)[0] ?? dirname(path);
}

function mayImport(path: string): readonly string[] {
  const own = floorOf(path);
  return [own, ...partsIn(floors[own] ?? '')];
}

describe('the architecture', () => {
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

  it('imports what stands above the core from two places, until the issues that end it', () => {
    const core = modules.filter(({ path }) => path.startsWith('src/') && !above.test(path));
    const arrows = core.flatMap(({ path, inside }) =>
      inside.filter((target) => above.test(target)).map((target) => ({ path, target })),
    );
    const issueOf = ({ path, target }: (typeof arrows)[number]) =>
      upwardArrows.find(({ from, to }) => from.test(path) && to.test(target))?.issue ?? 'core';
    const found = Object.groupBy(arrows, issueOf);
    expect(Object.keys(found).toSorted()).toEqual(['addons', 'core', 'door']);
    // The composition root and the commands may know every part.
    expect((found.core ?? []).filter(({ path }) => !/^src\/(app|doctor|cli)\//.test(path))).toEqual([]);
  });

  it('loads the add-ons, and the packages they are for, only where the settings or a command ask for them', () => {
    const isAddon = (path: string) =>
      /^(src\/addons\/(mcp|object-storage)|workers\/out\/(slack|push\/brokers))\//.test(path);
    const core = modules.filter(({ path }) => !isAddon(path));
    const ofAddons = /^(@aws-sdk|@smithy|@modelcontextprotocol|@nats-io|@platformatic|@slack)\//;
    expect(core.filter(({ packages }) => packages.some((name) => ofAddons.test(name)))).toEqual([]);
    const addonsIn = (paths: readonly string[]) => paths.filter(isAddon);
    expect(core.filter(({ inside, insideLater }) => addonsIn(inside).length > addonsIn(insideLater).length)).toEqual(
      [],
    );
    expect(core.filter(({ insideLater }) => addonsIn(insideLater).length > 0).map(({ path }) => path)).toEqual([
      'src/app/mcp.ts',
      'src/app/sinks.ts',
      'src/app/slack.ts',
      'src/cli/commands/export.ts',
      'src/cli/commands/mcp.ts',
      'src/doctor/alerts.ts',
    ]);
  });

  it('reads tables only in src/store and src/read', () => {
    const readers = modules.filter(
      ({ path, text, packages }) =>
        !/^src\/(store|read)\//.test(path) &&
        (/\.selectFrom\(/.test(text) ||
          (packages.includes('kysely') && /import \{[^}]*\bsql\b[^}]*\} from 'kysely'/.test(text))),
    );
    const parts = readers.map(({ path }) => readElsewhere.find(([part]) => path.startsWith(part))?.[0] ?? path);
    expect(new Set(parts)).toEqual(new Set(readElsewhere.map(([part]) => part)));
  });

  it('shows tables without the fold and without the service: a page that only reads reaches neither', () => {
    const known = new Map(modules.map(({ path, insideValues }) => [path, insideValues]));
    const reached = new Set(['src/addons/dashboard/pages/tables/tables.ts']);
    for (const path of reached) for (const each of known.get(path) ?? []) reached.add(each);
    expect(reached.size).toBeGreaterThan(50);
    expect([...reached].filter((path) => /^(?:workers|src\/upstream)\//.test(path))).toEqual([]);
  });

  it('keeps what the engines write differently small: views are SQL files, and queries are written twice', () => {
    const membersOf = (path: string, name: string): number => {
      const text = readFileSync(join(root, path), 'utf8');
      const [, body = ''] = new RegExp(`export interface ${name} \\{\\n(.*?)\\n\\}`, 's').exec(text) ?? [];
      return [...body.matchAll(/^  (?:readonly )?\w+[(:]/gm)].length;
    };
    expect(membersOf('src/store/sql-dialect.ts', 'SqlDialect')).toBeGreaterThan(5);
    expect(membersOf('src/store/sql-dialect.ts', 'SqlDialect')).toBeLessThanOrEqual(14);
    expect(
      modules.filter(({ path, text }) => path.startsWith('src/store/views/') && text.includes('SqlDialect')),
    ).toEqual([]);
  });

  it('keeps the sandbox separate: it imports only the signature from src/signing', () => {
    const known = modules
      .filter(({ path }) => path.startsWith('src/sandbox/'))
      .flatMap(({ inside }) => inside.filter((target) => floorOf(target) === 'src/signing'));
    expect([...new Set(known)].filter((target) => target !== 'src/signing/signature.ts')).toEqual([]);
  });

  it('lets the oracles use no code of the product, but for the inputs of the model of subscriptions', () => {
    const used = globSync('test/oracle/*.ts', { cwd: root }).flatMap((path) =>
      [
        ...readFileSync(join(root, path), 'utf8').matchAll(
          /^import (?!type )[^;]*'(#(?:src|workers|schemas)\/[^']+)'/gm,
        ),
      ].map(([, target]) => `${path} → ${target}`),
    );
    expect(used.toSorted()).toEqual([
      'test/oracle/subscriptions.ts → #schemas/events.ts',
      'test/oracle/subscriptions.ts → #src/subscriptions/callback.ts',
    ]);
  });

  it('keeps chaos and faults separate: what they import, directly or through others, is never the product', () => {
    const suite = globSync('test/{chaos,faults}/**/*.ts', { cwd: root }).filter((path) => !path.endsWith('.test.ts'));
    const imported = new Map<string, readonly string[]>();
    for (const waiting = [...suite]; waiting.length > 0;) {
      const path = waiting.pop() ?? '';
      if (imported.has(path) || !path.startsWith('test/')) continue;
      imported.set(path, readModule(path).inside);
      waiting.push(...(imported.get(path) ?? []));
    }
    const product = /^(src|workers|schemas)\//;
    expect(suite.length).toBeGreaterThan(0);
    expect(
      [...imported].flatMap(([path, targets]) =>
        targets.filter((target) => product.test(target)).map((target) => `${path} → ${target}`),
      ),
    ).toEqual([]);
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

  it('connects to others, or listens, in a few places only: none of them is unknown to the operator', () => {
    const imports =
      /^import (?!type)[^;]*from '(node:(https?|http2|net|tls|dgram)|undici|ioredis|pg|nodemailer|@nats-io\/.*|@platformatic\/kafka|@aws-sdk\/.*|@slack\/.*)'/m;
    const calls = /(?<![.\w])fetch\((?!\.\.\.|request)/;
    const connecting = modules
      .filter(({ path, text }) => !path.startsWith('src/sandbox/') && (imports.test(text) || calls.test(text)))
      .map(({ path }) => path);
    expect(connecting).toEqual([
      'src/addons/object-storage/s3-client.ts',
      'src/addons/object-storage/s3-output.ts',
      'src/api/running-instance.ts',
      'src/cli/commands/trigger.ts',
      'src/doctor/admin-url.ts',
      'src/doctor/public-url.ts',
      'src/egress/http.ts',
      'src/library/client.ts',
      'src/library/sandbox.ts',
      'src/queue/backends/postgres.ts',
      'src/queue/backends/redis.ts',
      'src/receiver/listener.ts',
      'src/store/engines/pg-hosts.ts',
      'src/store/engines/pg-socket.ts',
      'src/store/engines/postgres-connections.ts',
      'src/store/engines/postgres.ts',
      'src/subscriptions/probe.ts',
      'src/upstream/clients.ts',
      'src/upstream/oauth/redirect-listener.ts',
      'workers/out/alerts/channels/email.ts',
      'workers/out/push/brokers/kafka.ts',
      'workers/out/push/brokers/nats.ts',
      'workers/out/push/brokers/redis-stream.ts',
      'workers/out/slack/buttons.ts',
      'workers/out/slack/guarded-fetch.ts',
      'workers/out/slack/slack-bot.ts',
      'workers/out/slack/token-check.ts',
    ]);
  });
});
