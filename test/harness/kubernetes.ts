// Reads the manifests of Kubernetes in a folder, lists what is wrong with them by the published schemas, and tells what they give to a pod.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';

type Labels = Readonly<Record<string, string>>;

interface Probe {
  httpGet: { path: string; port: string };
}

interface Container {
  args: string[];
  env: { name: string; value: string }[];
  ports: { name: string; containerPort: number }[];
  livenessProbe: Probe;
  readinessProbe: Probe;
  securityContext: Record<string, unknown>;
  volumeMounts: { name: string; mountPath: string }[];
}

interface PodTemplate {
  metadata: { labels: Labels };
  spec: {
    containers: Container[];
    securityContext: Record<string, unknown>;
    terminationGracePeriodSeconds: number;
    volumes: { name: string; secret?: { secretName: string; items?: { key: string }[] } }[];
  };
}

interface Port {
  protocol?: string;
  port: number | string;
}

/** The parts of all kinds that are looked at; the schemas say what a kind has. */
export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
  spec: {
    podSelector?: { matchLabels?: Labels };
    template?: PodTemplate;
    egress?: { ports: Port[] }[];
    rules?: { http: { paths: { path: string }[] } }[];
    metrics?: { external: { metric: { name: string } } }[];
  };
}

interface Generator {
  name: string;
  literals: string[];
}

export interface Kustomization {
  configMapGenerator: Generator[];
  secretGenerator: Generator[];
}

export interface Manifests {
  readonly kustomization: Kustomization;
  readonly documents: readonly Manifest[];
}

export function readManifests(folder: string): Manifests {
  const text = (name: string): string => readFileSync(join(folder, name), 'utf8');
  const files = globSync('*.yaml', { cwd: folder }).filter((name) => !name.startsWith('prometheus'));
  return {
    kustomization: parse(text('kustomization.yaml')) as Kustomization,
    documents: files
      .filter((name) => name !== 'kustomization.yaml')
      .flatMap((name) => parseAllDocuments(text(name)).map((one) => one.toJS() as Manifest)),
  };
}

export const literalsOf = (generators: readonly Generator[], name: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    generators
      .filter((one) => one.name === name)
      .flatMap(({ literals }) => literals.map((literal) => /^([^=]+)=(.*)$/.exec(literal)?.slice(1) ?? [])),
  );

/** The pods that the documents create, each with the name of its workload. */
export const podsOf = ({ documents }: Manifests): readonly { readonly name: string; readonly pod: PodTemplate }[] =>
  documents.flatMap(({ metadata: { name }, spec }) => (spec?.template ? [{ name, pod: spec.template }] : []));

/** The container of a pod; each of ours has one. */
export const containerOf = ({ spec }: PodTemplate): Container => {
  const [container] = spec.containers;
  if (container === undefined) throw new Error('A pod without a container.');
  return container;
};

/** What the schemas of Kubernetes say of a document. They allow fields that they do not know, and Kubernetes drops those: they are found by what the validator never read. */
export async function schemaProblems(document: Manifest): Promise<readonly string[]> {
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
export const outgoingPorts = ({ documents }: Manifests, pod: PodTemplate): ReadonlySet<string> =>
  new Set(
    documents
      .filter(({ spec }) =>
        Object.entries(spec?.podSelector?.matchLabels ?? {}).every(
          ([name, value]) => pod.metadata.labels[name] === value,
        ),
      )
      .flatMap(({ spec }) => (spec?.egress ?? []).flatMap(({ ports }) => ports))
      .map(({ protocol, port }) => `${protocol} ${port}`),
  );
