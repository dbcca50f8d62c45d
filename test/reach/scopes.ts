// The lexical scopes of a module: which variable a name means.
import { listIn, nameOf, nodeIn, type Node } from './modules.ts';
import type { FunctionValue, Values } from './values.ts';

export class Scope {
  readonly path: string;
  readonly names = new Map<string, Values>();
  readonly #parent: Scope | undefined;
  /** The function whose body this is a part of. */
  readonly owner: FunctionValue | undefined;

  constructor(path: string, parent?: Scope, owner: FunctionValue | undefined = parent?.owner) {
    this.path = path;
    this.#parent = parent;
    this.owner = owner;
  }

  /** Undefined for what the language or a package defines. */
  lookup(name: string): Values | undefined {
    return this.names.get(name) ?? this.#parent?.lookup(name);
  }

  declare(names: Iterable<string>): void {
    for (const name of names) if (!this.names.has(name)) this.names.set(name, new Set());
  }
}

/** The names that a statement declares in the block that it is in. */
export function namesDeclaredBy(statement: Node): readonly string[] {
  const declaration = nodeIn(statement, 'declaration');
  if (declaration) return namesDeclaredBy(declaration);
  if (statement.type === 'VariableDeclaration')
    return listIn(statement, 'declarations').flatMap((one) => namesBoundBy(nodeIn(one, 'id')));
  if (statement.type === 'ImportDeclaration')
    return listIn(statement, 'specifiers').map((one) => nameOf(nodeIn(one, 'local')));
  return /^(Function|Class)Declaration$/.test(statement.type) ? [nameOf(nodeIn(statement, 'id'))] : [];
}

/** The names in a pattern. */
export function namesBoundBy(pattern: Node | undefined): readonly string[] {
  switch (pattern?.type) {
    case 'Identifier':
      return [nameOf(pattern)];
    case 'AssignmentPattern':
      return namesBoundBy(nodeIn(pattern, 'left'));
    case 'RestElement':
      return namesBoundBy(nodeIn(pattern, 'argument'));
    case 'ArrayPattern':
      return listIn(pattern, 'elements').flatMap(namesBoundBy);
    case 'ObjectPattern':
      return listIn(pattern, 'properties').flatMap((one) => namesBoundBy(nodeIn(one, 'value') ?? one));
    default:
      return [];
  }
}
