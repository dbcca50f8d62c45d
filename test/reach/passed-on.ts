// What a module has got from the composition root and passes on, under the same name, to a function that it imports.
import { importedFile, keyOf, listIn, nameOf, nodeIn, nodesIn, type Module, type Node } from './modules.ts';
import { takenBy } from './taken.ts';
import { fileOfToken } from './values.ts';

export interface Composition {
  readonly isRoot: (path: string) => boolean;
  /** Modules whose functions keep nothing: a call of one stands for its arguments. */
  readonly passesOn: (path: string) => boolean;
}

/** Property → what it is made of. */
export type Properties = ReadonlyMap<string, ReadonlySet<string>>;
type Grown = Map<string, Map<string, Set<string>>>;

interface Call {
  /** `file#export`. */
  readonly called: string;
  readonly args: readonly Node[];
}

/** Export → what its calls get, from the root, which is given, and from modules that have got it. */
export function passedOn(
  modules: ReadonlyMap<string, Module>,
  fromRoot: ReadonlyMap<string, Properties>,
  { passesOn }: Composition,
): ReadonlyMap<string, Properties> {
  const [found, had]: [Grown, Grown] = [new Map(), new Map()];
  const waiting = new Set<string>();
  const give = (called: string, properties: Properties): void => {
    if (passesOn(fileOfToken(called))) return;
    add(found, called, properties);
    if (add(had, fileOfToken(called), properties)) waiting.add(fileOfToken(called));
  };
  for (const [called, properties] of fromRoot) give(called, properties);
  const calls = new Map([...modules.values()].map((module) => [module.path, callsIn(module)]));
  for (const path of waiting) {
    waiting.delete(path);
    const own = had.get(path) ?? new Map<string, Set<string>>();
    for (const { called, args } of calls.get(path) ?? []) {
      const callee = modules.get(fileOfToken(called));
      for (const [index, arg] of args.entries()) {
        const taken = callee ? takenBy(callee.body, called.slice(called.indexOf('#') + 1), index) : 'all';
        give(called, passedIn(arg, own, taken));
      }
    }
  }
  return found;
}

function passedIn(arg: Node, own: Properties, taken: ReadonlySet<string> | 'all'): Properties {
  const isTaken = (name: string): boolean => taken === 'all' || taken.has(name);
  const all = [...own].filter(([name]) => isTaken(name));
  // The object that the caller was given, as a whole.
  if (arg.type === 'Identifier') return new Map(own.has(nameOf(arg)) ? [] : all);
  const passed = new Map<string, ReadonlySet<string>>();
  for (const one of listIn(arg, 'properties')) {
    const [name, value] = [keyOf(one), nodeIn(one, 'value')];
    if (one.type === 'SpreadElement') for (const [each, tokens] of all) passed.set(each, tokens);
    else if (name !== undefined && isTaken(name) && (nameOf(value) || (value && keyOf(value))) === name)
      passed.set(name, own.get(name) ?? new Set());
  }
  return passed;
}

function callsIn({ path, body }: Module): readonly Call[] {
  const imported = new Map<string, string>();
  for (const node of listIn(body, 'body'))
    for (const one of node.type === 'ImportDeclaration' ? listIn(node, 'specifiers') : []) {
      const [file, name] = [importedFile(path, node), nameOf(nodeIn(one, 'imported'))];
      if (file !== undefined && name !== '') imported.set(nameOf(nodeIn(one, 'local')), `${file}#${name}`);
    }
  return [...nodesIn(body)].flatMap((node) => {
    const called = /^(Call|New)Expression$/.test(node.type) ? imported.get(nameOf(nodeIn(node, 'callee'))) : undefined;
    return called === undefined ? [] : [{ called, args: listIn(node, 'arguments') }];
  });
}

/** Whether anything was new. */
function add(all: Grown, key: string, added: Properties): boolean {
  const properties = all.get(key) ?? new Map<string, Set<string>>();
  all.set(key, properties);
  let isNew = false;
  for (const [name, tokens] of added) {
    const known = properties.get(name) ?? new Set();
    isNew ||= [...tokens].some((token) => !known.has(token));
    properties.set(name, new Set([...known, ...tokens]));
  }
  return isNew;
}
