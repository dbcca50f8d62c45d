// What a variable of the composition root can hold, for `handed-in.ts`. Sets of values only ever grow.
import type { Node } from './modules.ts';

export type Values = Set<Value>;
export type Value = FileValue | ObjectValue | FunctionValue | ClassValue;

/** An export of a module outside the root, or all of them (`*`); or what one call of that export returned. */
export class FileValue {
  readonly file: string;
  readonly name: string;
  /** What the root hands in to the result of one call is not what it hands in to that of another. */
  readonly call: number | undefined;
  constructor(file: string, name: string, call?: number) {
    this.file = file;
    this.name = name;
    this.call = call;
  }

  get token(): string {
    return `${this.file}#${this.name}${this.call === undefined ? '' : `@${this.call}`}`;
  }
}

/** `file`, `file#export`, `file#*` or `file#export@call`. */
export const fileOfToken = (token: string): string => token.split('#', 1)[0] ?? token;

/** A function of the root. */
export class FunctionValue {
  readonly node: Node;
  readonly path: string;
  readonly returns: Values = new Set();
  /** What its body mentions, the functions that it calls included. */
  readonly uses: Values = new Set();
  constructor(node: Node, path: string) {
    this.node = node;
    this.path = path;
  }
}

export class ClassValue {
  readonly instance = new ObjectValue();
}

interface Entry {
  /** Undefined for a spread, and for a computed name. */
  readonly name: string | undefined;
  readonly isSpread: boolean;
  readonly values: Values;
}

/** An object that the root makes. */
export class ObjectValue {
  readonly entries: Entry[] = [];
  readonly #byNode = new Map<unknown, Entry>();

  /** The values of one property or spread of the literal: `place` is its node, or a name that is assigned later. */
  entry(
    place: unknown,
    name: string | undefined,
    { isSpread = false, values = new Set() }: Partial<Entry> = {},
  ): Values {
    let entry = this.#byNode.get(place);
    if (!entry) {
      entry = { name, isSpread, values };
      this.#byNode.set(place, entry);
      this.entries.push(entry);
    }
    return entry.values;
  }

  /** The last that states the property hides what is before it, but for spreads after it. */
  property(name: string, seen: Set<ObjectValue> = new Set()): Values {
    const found: Values = new Set();
    if (seen.has(this)) return found;
    seen.add(this);
    for (const entry of this.entries.toReversed()) {
      if (entry.isSpread) for (const value of propertyOf(entry.values, name, seen)) found.add(value);
      else if (entry.name === name || entry.name === undefined) for (const value of entry.values) found.add(value);
      if (entry.name === name) break;
    }
    return found;
  }
}

export function propertyOf(values: Values, name: string, seen?: Set<ObjectValue>): Values {
  const found: Values = new Set();
  for (const value of values) {
    if (value instanceof FileValue) found.add(value.name === '*' ? fileValue(value.file, name) : value);
    if (value instanceof ObjectValue) for (const each of value.property(name, seen)) found.add(each);
  }
  return found;
}

export function propertyNames(values: Values, seen: Set<Value> = new Set()): ReadonlySet<string> {
  const names = new Set<string>();
  for (const value of values) {
    if (!(value instanceof ObjectValue) || seen.has(value)) continue;
    seen.add(value);
    for (const entry of value.entries)
      if (!entry.isSpread) names.add(entry.name ?? '');
      else for (const name of propertyNames(entry.values, seen)) names.add(name);
  }
  return names;
}

const fileValues = new Map<string, FileValue>();

export function fileValue(file: string, name: string, call?: number): FileValue {
  const made = new FileValue(file, name, call);
  const value = fileValues.get(made.token) ?? made;
  fileValues.set(made.token, value);
  return value;
}

/** What runs where the value is used: of an object all of it, of a function what its body uses and returns. */
export function tokensOf(values: Iterable<Value>, found: Set<string> = new Set(), seen: Set<Value> = new Set()) {
  for (const value of values) {
    if (seen.has(value)) continue;
    seen.add(value);
    if (value instanceof FileValue) found.add(value.token);
    if (value instanceof ObjectValue) for (const entry of value.entries) tokensOf(entry.values, found, seen);
    if (value instanceof ClassValue) tokensOf([value.instance], found, seen);
    if (value instanceof FunctionValue) {
      found.add(value.path);
      tokensOf(value.uses, found, seen);
      tokensOf(value.returns, found, seen);
    }
  }
  return found;
}
