// The modules of the program as syntax trees, and which files each imports.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';

/** A node of the syntax tree (ESTree); the fields depend on its type. */
export interface Node {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Path → text. */
export type Sources = Readonly<Record<string, string>>;

export interface Module {
  readonly path: string;
  readonly body: Node;
  readonly lines: number;
  /** The values that it imports, at once or later: `file#export`, and `file#*` for all of them. */
  readonly imports: ReadonlySet<string>;
}

export function productSources(root: string): Sources {
  const paths = globSync(['schemas/**/*.ts', 'src/**/*.ts', 'workers/**/*.ts'], { cwd: root }).toSorted();
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
}

export const readModules = (sources: Sources): ReadonlyMap<string, Module> =>
  new Map(Object.entries(sources).map(([path, text]) => [path, readModule(path, text)]));

function readModule(path: string, text: string): Module {
  const body = parseAst(text, { lang: 'ts' }) as unknown as Node;
  const imports = new Set<string>();
  for (const node of nodesIn(body)) {
    const target = importedFile(path, node);
    if (target !== undefined) for (const name of importedNames(node)) imports.add(`${target}#${name}`);
  }
  return { path, body, lines: text.split('\n').length - 1, imports };
}

/** The file that an import, a re-export or `import()` names; undefined for a package. */
export function importedFile(path: string, node: Node): string | undefined {
  const from = isNode(node['source']) ? node['source']['value'] : undefined;
  if (typeof from !== 'string' || !/^[.#].*\.ts$/.test(from)) return undefined;
  return from.startsWith('#') ? from.slice(1) : join(dirname(path), from);
}

/** Empty where everything that is imported is a type. */
function importedNames(node: Node): readonly string[] {
  if (!/^(Import|Export(Named|All))(Declaration|Expression)$/.test(node.type)) return [];
  const isType = (one: Node): boolean => one['importKind'] === 'type' || one['exportKind'] === 'type';
  if (isType(node)) return [];
  const named = listIn(node, 'specifiers');
  if (named.length === 0) return ['*'];
  // `export { a } from` has `a` as what is local there.
  const field = node.type === 'ImportDeclaration' ? 'imported' : 'local';
  return named.filter((one) => !isType(one)).map((one) => nameOf(nodeIn(one, field)) || '*');
}

export function* nodesIn(value: unknown): Generator<Node> {
  if (Array.isArray(value)) for (const each of value) yield* nodesIn(each);
  if (!isNode(value)) return;
  yield value;
  for (const child of Object.values(value)) yield* nodesIn(child);
}

export const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

export const nodeIn = (node: Node, field: string): Node | undefined => {
  const value = node[field];
  return isNode(value) ? value : undefined;
};

export const listIn = (node: Node, field: string): readonly Node[] => {
  const list = node[field];
  return Array.isArray(list) ? list.filter(isNode) : [];
};

/** The name of an identifier, a private name, or a property with a literal name. */
export const nameOf = (node: Node | undefined): string => {
  const name = node?.['name'] ?? node?.['value'];
  const isPrivate = node?.type === 'PrivateIdentifier';
  return typeof name === 'string' ? `${isPrivate ? '#' : ''}${name}` : '';
};

/** The name of a property of an object, a pattern or a member access; undefined where it is computed. */
export const keyOf = (node: Node): string | undefined =>
  node['computed'] === true ? undefined : nameOf(nodeIn(node, 'key') ?? nodeIn(node, 'property'));
