// The manifests in docs/examples/kubernetes: valid by the schemas of Kubernetes, and right about the program's settings, ports and metrics.
import { randomBytes } from 'node:crypto';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { loadConfig } from '#src/config/load.ts';
import { settings } from '#src/config/variables.ts';
import { createMetrics } from '#src/observability/metrics/registry.ts';

/** A document of YAML, or a part of one. That it has the fields of its kind is what the schemas check. */
// oxlint-disable-next-line typescript/no-explicit-any
type Yaml = any;

interface Manifests {
  readonly kustomization: Yaml;
  readonly documents: readonly Yaml[];
}

function readManifests(folder: string): Manifests {
  const text = (name: string): string => readFileSync(join(folder, name), 'utf8');
  const files = globSync('*.yaml', { cwd: folder }).filter((name) => !name.startsWith('prometheus'));
  return {
    kustomization: parse(text('kustomization.yaml')),
    documents: files
      .filter((name) => name !== 'kustomization.yaml')
      .flatMap((name) => parseAllDocuments(text(name)).map((one) => one.toJS())),
  };
}

const literalsOf = (generators: readonly Yaml[], name: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    generators
      .filter((one) => one.name === name)
      .flatMap(({ literals }) => literals.map((literal: string) => /^([^=]+)=(.*)$/.exec(literal)?.slice(1) ?? [])),
  );

/** The pods that the documents create, each with the name of its workload. */
const podsOf = ({ documents }: Manifests): readonly { readonly name: string; readonly pod: Yaml }[] =>
  documents.flatMap(({ metadata: { name }, spec }) => (spec?.template ? [{ name, pod: spec.template }] : []));

/** The container of a pod; each of ours has one. */
const containerOf = ({ spec }: Yaml): Yaml => {
  const [container] = spec.containers;
  if (container === undefined) throw new Error('A pod without a container.');
  return container;
};

/** What the schemas of Kubernetes say of a document. They allow fields that they do not know, and Kubernetes drops those: they are found by what the validator never read. */
async function schemaProblems(document: Yaml): Promise<readonly string[]> {
  const { apiVersion, kind } = document;
  const [group = '', version = ''] = apiVersion.includes('/') ? apiVersion.split('/') : ['core', apiVersion];
  const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
  const name = `IoK8sApi${capital(group.split('.', 1)[0] ?? '')}${capital(version)}${kind}`;
  const { validate } = (await import(`kubernetes-models/_schemas/${name}`)) as {
    validate: ((data: unknown) => boolean) & { errors?: { instancePath: string; keyword: string }[] };
  };
  const read = new Set<string>();
  validate(recorded(document, '', read));
  return [
    ...(validate.errors ?? []).map(({ instancePath, keyword }) => `${kind}${instancePath}: ${keyword}`),
    ...pathsOf(document, '')
      .filter((path) => !read.has(path))
      .map((path) => `${kind}${path}: unknown field`),
  ];
}

function recorded(value: unknown, path: string, read: Set<string>): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return new Proxy(value, {
    get: (target, key) => {
      read.add(`${path}/${String(key)}`);
      return recorded(Reflect.get(target, key), `${path}/${String(key)}`, read);
    },
  });
}

function pathsOf(value: unknown, path: string): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => [`${path}/${key}`, ...pathsOf(one, `${path}/${key}`)]);
}

/** The ports to which the policies let a pod connect, as `TCP 443`. */
const outgoingPorts = ({ documents }: Manifests, pod: Yaml): ReadonlySet<string> =>
  new Set(
    documents
      .filter(({ spec }) =>
        Object.entries(spec?.podSelector?.matchLabels ?? {}).every(
          ([name, value]) => pod.metadata.labels[name] === value,
        ),
      )
      .flatMap(({ spec }) => (spec?.egress ?? []).flatMap(({ ports }: Yaml) => ports))
      .map(({ protocol, port }) => `${protocol} ${port}`),
  );

const folder = join(import.meta.dirname, '../docs/examples/kubernetes');
const secretsFolder = '/run/secrets/slotstream';
const metrics = (await createMetrics().read()).text;
const adapter = parse(readFileSync(join(folder, 'prometheus-adapter.yaml'), 'utf8')) as {
  rules: { external: { seriesQuery: string; metricsQuery: string; name: { as: string } }[] };
};

/** As an operator edits it: the manifest has no secrets of its own. */
const filledIn = (value = ''): string =>
  value === '' ? randomBytes(24).toString('hex') : value.replace('CHANGE-ME', 'password');

/** What a container gets from its manifest: its variables, and the files of its secret that these may name. */
function settingsOf({ kustomization }: Manifests, pod: Yaml) {
  const { env, volumeMounts } = containerOf(pod);
  const secret = literalsOf(kustomization.secretGenerator, 'slotstream');
  const volume = pod.spec.volumes.find((one: Yaml) => one.secret);
  const isMounted = volumeMounts.some(
    ({ name, mountPath }: Yaml) => name === volume?.name && mountPath === secretsFolder,
  );
  const keys = volume?.secret?.items?.map(({ key }: Yaml) => key) ?? Object.keys(secret);
  return {
    variables: {
      ...literalsOf(kustomization.configMapGenerator, 'slotstream'),
      ...Object.fromEntries(env.map(({ name, value }: Yaml) => [name, value])),
    },
    files: Object.fromEntries(isMounted ? keys.map((key: string) => [key, secret[key]]) : []),
  };
}

/** What the program does not agree with, read as the program reads it. */
function programProblems(manifests: Manifests): readonly string[] {
  const problems: string[] = [];
  for (const { name, pod } of podsOf(manifests)) {
    const container = containerOf(pod);
    const { variables, files } = settingsOf(manifests, pod);
    const temporary = mkdtempSync(join(tmpdir(), 'slotstream-secrets-'));
    for (const [key, value] of Object.entries(files)) writeFileSync(join(temporary, key), filledIn(value));
    const env = Object.entries(variables).map(([key, value]) => [key, value.replace(secretsFolder, temporary)]);
    try {
      const config = loadConfig(Object.fromEntries(env));
      problems.push(...config.warnings);
      const listener = container.args[0] === 'work' ? 'admin' : 'public';
      const ports = Object.fromEntries(container.ports.map((one: Yaml) => [one.name, one.containerPort]));
      const expected =
        listener === 'admin' ? { admin: config.adminPort } : { public: config.port, admin: config.adminPort };
      if (JSON.stringify(ports) !== JSON.stringify(expected)) problems.push(`${name} has other ports than the program`);
      for (const [probe, path] of [
        ['livenessProbe', '/healthz'],
        ['readinessProbe', '/readyz'],
      ] as const)
        if (container[probe].httpGet.path !== path || container[probe].httpGet.port !== listener)
          problems.push(`${probe} of ${name} does not ask ${path} of the ${listener} listener`);
      const urls = [
        config.databaseUrl,
        config.queueUrl,
        container.args[0] === 'receive' ? undefined : config.api.baseUrl,
      ];
      const reachable = outgoingPorts(manifests, pod);
      for (const url of urls.filter((one) => one?.includes('://')))
        if (!reachable.has(`TCP ${portOf(url ?? '')}`))
          problems.push(`${name} may not connect to ${new URL(url ?? '').host}`);
      for (const protocol of ['UDP', 'TCP'])
        if (!reachable.has(`${protocol} 53`)) problems.push(`${name} may not ask for names by ${protocol}`);
    } catch (error) {
      problems.push(`${name}: ${String(error)}`);
    } finally {
      rmSync(temporary, { recursive: true });
    }
    const unknown = Object.keys(variables).filter((key) => !(key.replace(/_FILE$/, '') in settings));
    problems.push(...unknown.map((key) => `${name}: no setting ${key}`));
  }
  return problems;
}

const portOf = (url: string): string => new URL(url).port || (url.startsWith('https:') ? '443' : '80');

/** What the policy "restricted" of Kubernetes and a read-only root ask for. */
const safePod = { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } };
const safeContainer = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
};

const problemsOf = async (manifests: Manifests): Promise<readonly string[]> => [
  ...(await Promise.all(manifests.documents.map(schemaProblems))).flat(),
  ...programProblems(manifests),
];

describe.each(['.', 'single'])('the manifests in examples/kubernetes/%s', (name) => {
  const manifests = readManifests(join(folder, name));

  it('are valid, and agree with the program', async () => {
    expect(await problemsOf(manifests)).toEqual([]);
  });

  it('have no secret that works as it is', () => {
    const secrets = Object.values(literalsOf(manifests.kustomization.secretGenerator, 'slotstream'));
    expect(secrets.filter((value) => value !== '' && !value.includes('CHANGE-ME'))).toEqual([]);
  });

  it('give the processes no rights, a root that cannot be written and time to end', () => {
    for (const { pod } of podsOf(manifests)) {
      expect(pod.spec.securityContext).toMatchObject(safePod);
      expect(containerOf(pod).securityContext).toEqual(safeContainer);
      expect(pod.spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(40);
    }
  });

  it('publish the webhook and nothing else', () => {
    const paths = manifests.documents.flatMap(({ spec }) =>
      (spec?.rules ?? []).flatMap(({ http }: Yaml) => http.paths),
    );
    expect(paths.map(({ path }) => path)).toEqual(['/webhooks']);
  });
});

describe('the scaled-out manifests', () => {
  const manifests = readManifests(folder);

  it('run receivers and workers; only workers reach the internet and have the token of the service', () => {
    expect(podsOf(manifests).map(({ pod }) => containerOf(pod).args)).toEqual([['receive'], ['work']]);
    const [receiver, worker] = podsOf(manifests).map(({ pod }) => ({
      reaches: outgoingPorts(manifests, pod).has('TCP 443'),
      hasToken: 'API_TOKEN' in settingsOf(manifests, pod).files,
    }));
    expect([receiver, worker]).toEqual([
      { reaches: false, hasToken: false },
      { reaches: true, hasToken: true },
    ]);
  });

  it('scale the workers by a metric that exists, which the adapter provides', () => {
    const [rule] = adapter.rules.external;
    const wanted = manifests.documents.flatMap(({ spec }) => spec?.metrics ?? []);
    expect(wanted.map(({ external }) => external.metric.name)).toEqual([rule?.name.as]);
    for (const query of [rule?.seriesQuery, rule?.metricsQuery]) {
      expect(metrics).toContain(`# TYPE ${/slotstream_\w+/.exec(query ?? '')?.[0]} gauge`);
      expect(query).toContain('state=~"waiting|delayed"');
    }
  });
});
