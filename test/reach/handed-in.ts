// Which files the composition root hands in to which module. It runs the root on sets of values instead of values: both branches of each
// condition, each function with all arguments that the root ever passes to it, again and again until no set grows.
import { importedFile, isNode, keyOf, listIn, nameOf, nodeIn, type Module, type Node } from './modules.ts';
import { namesDeclaredBy, namesBoundBy, Scope } from './scopes.ts';
import { passedOn, type Composition } from './passed-on.ts';
import { takenBy, takenIn } from './taken.ts';
import { ClassValue, fileOfToken, FileValue, fileValue, FunctionValue, ObjectValue } from './values.ts';
import { propertyNames, propertyOf, tokensOf } from './values.ts';
import type { Value, Values } from './values.ts';

interface Handing {
  readonly callee: FileValue;
  readonly to: FileValue;
  readonly args: readonly Values[];
}

/**
 * What a call into a module returned → what the root passed to that call and to the methods of what it returned. Both are tokens (`values.ts`).
 * A file of the root stands for the functions in it that are passed.
 */
export function handedIn(
  modules: ReadonlyMap<string, Module>,
  composition: Composition,
): ReadonlyMap<string, ReadonlySet<string>> {
  const handed = new Map<string, Set<string>>();
  const toExports = new Map<string, Map<string, Set<string>>>();
  const setIn = (sets: Map<string, Set<string>>, key: string): Set<string> => {
    const tokens = sets.get(key) ?? new Set();
    sets.set(key, tokens);
    return tokens;
  };
  for (const { callee, to, args } of new Interpreter(modules, composition).run())
    for (const [index, values] of args.entries()) {
      const isMethod = callee.call !== undefined;
      const tokens = setIn(handed, to.token);
      const taken = isMethod ? 'all' : takenBy(modules.get(callee.file)?.body, callee.name, index);
      const objects: Values = new Set([...values].filter((value) => value instanceof ObjectValue));
      const named = toExports.get(callee.token) ?? new Map<string, Set<string>>();
      if (!isMethod) toExports.set(callee.token, named);
      for (const name of taken === 'all' ? propertyNames(objects) : taken)
        tokensOf(propertyOf(objects, name), setIn(named, name));
      if (taken === 'all') tokensOf(values, tokens);
      else for (const name of taken) tokensOf(propertyOf(values, name), tokens);
      if (taken !== 'all' && taken.size > 0)
        tokensOf(
          [...values].filter((value) => !(value instanceof ObjectValue)),
          tokens,
        );
    }
  for (const [called, properties] of passedOn(modules, toExports, composition)) {
    const body = modules.get(fileOfToken(called))?.body;
    const taken: ReadonlySet<string> = body ? takenIn(body) : new Set();
    for (const [name, tokens] of properties)
      for (const token of taken.has(name) ? tokens : []) setIn(handed, `${called}@passed-on`).add(token);
  }
  return handed;
}

/** What these return is plain data. */
const makesData = new Set(['JSON', 'Math', 'Date', 'String', 'Number', 'Boolean', 'performance', 'process']);
/** What arrays and promises do with a function: they call it with what they hold. */
const ofCollections =
  /^(catch|every|filter|find|findLast|finally|flatMap|forEach|map|reduce|some|sort|then|toSorted|at|includes)$/;

class Interpreter {
  readonly #modules: ReadonlyMap<string, Module>;
  readonly #composition: Composition;
  readonly #roots: readonly Module[];
  readonly #programs = new Map<string, Scope>();
  readonly #scopes = new Map<Node, Scope>();
  readonly #made = new Map<Node, Value>();
  readonly #exports = new Map<string, ObjectValue>();
  readonly #calls = new Map<Node, number>();
  #handings: Handing[] = [];
  #hasGrown = true;

  constructor(modules: ReadonlyMap<string, Module>, composition: Composition) {
    this.#modules = modules;
    this.#composition = composition;
    this.#roots = [...modules.values()].filter(({ path }) => composition.isRoot(path));
    for (const { path, body } of this.#roots) this.#programs.set(path, scopeOf(body, new Scope(path)));
  }

  run(): readonly Handing[] {
    while (this.#hasGrown) {
      this.#hasGrown = false;
      this.#handings = [];
      for (const { path, body } of this.#roots) {
        const scope = this.#programs.get(path);
        for (const statement of listIn(body, 'body')) if (scope) this.#visit(statement, scope);
      }
    }
    return this.#handings;
  }

  #add(target: Values | undefined, values: Iterable<Value>): void {
    if (!target) return;
    const before = target.size;
    for (const value of values) target.add(value);
    if (target.size > before) this.#hasGrown = true;
  }

  /** What the body of a function mentions, it uses. Of an object it uses only the properties that it mentions. */
  #used(values: Values, { owner }: Scope): Values {
    if (owner)
      this.#add(
        owner.uses,
        [...values].filter((value) => !(value instanceof ObjectValue)),
      );
    return values;
  }

  #visitAll(nodes: Iterable<unknown>, scope: Scope): Values {
    const found: Values = new Set();
    for (const node of nodes) for (const value of isNode(node) ? this.#visit(node, scope) : []) found.add(value);
    return found;
  }

  #in(node: Node, field: string, scope: Scope): Values {
    const child = nodeIn(node, field);
    return child ? this.#visit(child, scope) : new Set();
  }

  /** Runs a statement, or an expression, of which it returns the values. */
  #visit(node: Node, scope: Scope): Values {
    switch (node.type) {
      case 'Identifier':
        return this.#used(scope.lookup(nameOf(node)) ?? new Set(), scope);
      case 'ThisExpression':
        return scope.lookup('this') ?? new Set();
      case 'MemberExpression': {
        const [object, name] = [this.#in(node, 'object', scope), keyOf(node)];
        if (name === undefined) this.#in(node, 'property', scope);
        return this.#used(name === undefined ? object : propertyOf(object, name), scope);
      }
      case 'CallExpression':
      case 'NewExpression':
        return this.#used(this.#call(node, scope), scope);
      case 'ImportExpression':
        return this.#used(this.#module(importedFile(scope.path, node)), scope);
      case 'ObjectExpression':
        return this.#object(node, scope);
      case 'ArrowFunctionExpression':
      case 'FunctionExpression':
        return this.#used(this.#function(node, scope), scope);
      case 'FunctionDeclaration':
        this.#add(scope.lookup(nameOf(nodeIn(node, 'id'))), this.#function(node, scope));
        return new Set();
      case 'ClassDeclaration':
      case 'ClassExpression':
        return this.#class(node, scope);
      case 'ImportDeclaration':
        for (const one of listIn(node, 'specifiers')) this.#import(one, importedFile(scope.path, node), scope);
        return new Set();
      case 'VariableDeclaration':
        for (const one of listIn(node, 'declarations'))
          this.#bind(nodeIn(one, 'id'), this.#in(one, 'init', scope), scope);
        return new Set();
      case 'ReturnStatement':
      case 'YieldExpression':
        this.#add(scope.owner?.returns, this.#in(node, 'argument', scope));
        return new Set();
      case 'AssignmentExpression': {
        const values = this.#in(node, 'right', scope);
        this.#bind(nodeIn(node, 'left'), values, scope);
        return values;
      }
      case 'ConditionalExpression':
        this.#in(node, 'test', scope);
        return this.#visitAll([node['consequent'], node['alternate']], scope);
      case 'LogicalExpression': {
        const left = this.#in(node, 'left', scope);
        const right = this.#in(node, 'right', scope);
        return node['operator'] === '&&' ? right : new Set([...left, ...right]);
      }
      case 'ArrayExpression':
        return this.#visitAll(listIn(node, 'elements'), scope);
      case 'SequenceExpression':
        return this.#visitAll(listIn(node, 'expressions'), scope);
      case 'AwaitExpression':
      case 'SpreadElement':
        return this.#in(node, 'argument', scope);
      case 'ChainExpression':
      case 'ParenthesizedExpression':
      case 'TSAsExpression':
      case 'TSSatisfiesExpression':
      case 'TSNonNullExpression':
        return this.#in(node, 'expression', scope);
      default:
        this.#otherwise(node, scope);
        return new Set();
    }
  }

  /** Blocks and loops, and operators, whose values are plain data. */
  #otherwise(node: Node, outer: Scope): void {
    if (node.type.startsWith('TS')) return;
    const opensScope = /^(BlockStatement|SwitchStatement|CatchClause|For(Of|In)?Statement)$/.test(node.type);
    const scope = opensScope ? (this.#scopes.get(node) ?? scopeOf(node, new Scope(outer.path, outer))) : outer;
    this.#scopes.set(node, scope);
    const left = nodeIn(node, 'left');
    if (/^For(Of|In)Statement$/.test(node.type)) {
      const [declared] = left ? listIn(left, 'declarations') : [];
      this.#bind(declared ? nodeIn(declared, 'id') : left, this.#in(node, 'right', scope), scope);
    }
    for (const child of Object.values(node))
      if (Array.isArray(child)) this.#visitAll(child, scope);
      else if (isNode(child)) this.#visit(child, scope);
  }

  #import(specifier: Node, file: string | undefined, scope: Scope): void {
    const imported = nodeIn(specifier, 'imported');
    const module = this.#module(file);
    const values = imported ? propertyOf(module, nameOf(imported)) : module;
    this.#add(scope.names.get(nameOf(nodeIn(specifier, 'local'))), values);
  }

  /** Empty for a package. */
  #module(file: string | undefined): Values {
    if (file === undefined || !this.#modules.has(file)) return new Set();
    const program = this.#programs.get(file);
    if (!program) return new Set([fileValue(file, '*')]);
    const exported = this.#exports.get(file) ?? new ObjectValue();
    this.#exports.set(file, exported);
    for (const [name, values] of program.names) exported.entry(name, name, { values });
    return new Set([exported]);
  }

  #object(node: Node, scope: Scope): Values {
    const object = this.#madeBy(node, () => new ObjectValue());
    for (const one of listIn(node, 'properties')) {
      const isSpread = one.type === 'SpreadElement';
      const values = isSpread ? this.#visit(one, scope) : this.#in(one, 'value', scope);
      if (one['computed'] === true) this.#in(one, 'key', scope);
      this.#add(object.entry(one, isSpread ? undefined : keyOf(one), { isSpread }), values);
      // What a getter returns is the value.
      if (one['kind'] === 'get')
        for (const each of values)
          if (each instanceof FunctionValue) this.#add(object.entry(one, keyOf(one)), each.returns);
    }
    return new Set([object]);
  }

  #class(node: Node, scope: Scope): Values {
    const made = this.#madeBy(node, () => new ClassValue());
    const inside = this.#scopes.get(node) ?? new Scope(scope.path, scope);
    this.#scopes.set(node, inside);
    inside.declare(['this']);
    this.#add(inside.names.get('this'), [made.instance]);
    const body = nodeIn(node, 'body');
    for (const one of body ? listIn(body, 'body') : []) {
      const name = keyOf(one);
      this.#add(made.instance.entry(name ?? one, name), this.#in(one, 'value', inside));
    }
    this.#add(scope.lookup(nameOf(nodeIn(node, 'id'))), [made]);
    return new Set([made]);
  }

  #function(node: Node, scope: Scope): Values {
    const made = this.#madeBy(node, () => new FunctionValue(node, scope.path));
    const inside = this.#scopes.get(node) ?? new Scope(scope.path, scope, made);
    this.#scopes.set(node, inside);
    inside.declare(listIn(node, 'params').flatMap(namesBoundBy));
    // For the defaults; calls bind the rest.
    for (const parameter of listIn(node, 'params')) this.#bind(parameter, new Set(), inside);
    const result = this.#in(node, 'body', inside);
    if (node['expression'] === true) this.#add(made.returns, result);
    return new Set([made]);
  }

  #madeBy<Made extends Value>(node: Node, make: () => Made): Made {
    const made = (this.#made.get(node) as Made | undefined) ?? make();
    this.#made.set(node, made);
    return made;
  }

  /** Gives the values to the names of a pattern, or to the property of an object. */
  #bind(pattern: Node | undefined, values: Values, scope: Scope): void {
    switch (pattern?.type) {
      case 'Identifier':
        this.#add(scope.lookup(nameOf(pattern)), values);
        break;
      case 'AssignmentPattern':
        this.#bind(nodeIn(pattern, 'left'), new Set([...values, ...this.#in(pattern, 'right', scope)]), scope);
        break;
      case 'RestElement':
        this.#bind(nodeIn(pattern, 'argument'), values, scope);
        break;
      case 'ArrayPattern':
        for (const element of listIn(pattern, 'elements')) this.#bind(element, values, scope);
        break;
      case 'ObjectPattern':
        for (const one of listIn(pattern, 'properties')) {
          const name = keyOf(one);
          const isWhole = one.type === 'RestElement' || name === undefined;
          this.#bind(nodeIn(one, 'value') ?? one, isWhole ? values : propertyOf(values, name), scope);
        }
        break;
      case 'MemberExpression': {
        const name = keyOf(pattern);
        for (const object of this.#in(pattern, 'object', scope))
          if (object instanceof ObjectValue) this.#add(object.entry(name ?? pattern, name), values);
        break;
      }
      default:
    }
  }

  #call(node: Node, scope: Scope): Values {
    const callee = nodeIn(node, 'callee');
    const args = listIn(node, 'arguments').map((one) => this.#visit(one, scope));
    if (callee?.type !== 'MemberExpression') {
      // What is called is used by what the call returns.
      const named = callee?.type === 'Identifier' ? scope.lookup(nameOf(callee)) : undefined;
      const called = named ?? (callee ? this.#visit(callee, scope) : new Set<Value>());
      this.#used(new Set([...called].filter((one) => !(one instanceof FileValue))), scope);
      if (called.size === 0 && makesData.has(nameOf(callee))) return new Set();
      return this.#apply(node, called, { args });
    }
    const object = this.#in(callee, 'object', scope);
    if (object.size === 0 && makesData.has(nameOf(nodeIn(callee, 'object')))) return new Set();
    const name = keyOf(callee) ?? '';
    const method = propertyOf(object, name);
    if (ofCollections.test(name) && [...method].every((one) => one instanceof FileValue && one.call !== undefined))
      return new Set([
        ...object,
        ...this.#apply(node, new Set(), { args, held: name === 'catch' ? new Set() : object }),
      ]);
    this.#used(new Set([...method].filter((one) => !(one instanceof FileValue))), scope);
    return this.#apply(node, method, { args, held: object });
  }

  /** `held` is the object whose method is called. */
  #apply(
    node: Node,
    called: Values,
    { args, held = new Set() }: { readonly args: readonly Values[]; readonly held?: Values },
  ): Values {
    const result: Values = new Set();
    const give = (values: Iterable<Value>): void => {
      for (const value of values) result.add(value);
    };
    for (const value of called)
      if (value instanceof FunctionValue) {
        this.#bindArguments(value, args);
        give(value.returns);
      } else if (value instanceof ClassValue) {
        for (const each of value.instance.property('constructor'))
          if (each instanceof FunctionValue) this.#bindArguments(each, args);
        give([value.instance]);
      } else if (value instanceof FileValue) {
        const to = value.call === undefined ? fileValue(value.file, value.name, this.#numberOf(node)) : value;
        give([to]);
        if (this.#composition.passesOn(value.file)) give(args.flatMap((each) => [...each]));
        else this.#handings.push({ callee: value, to, args });
        give(returnsOf(args));
      }
    if (called.size > 0) return result;
    // A function or a method of the language or of a package.
    for (const each of args.flatMap((values) => [...values]))
      if (each instanceof FunctionValue)
        this.#bindArguments(
          each,
          listIn(each.node, 'params').map(() => held),
        );
    return new Set([...held, ...args.flatMap((values) => [...values]), ...returnsOf(args)]);
  }

  #numberOf(node: Node): number {
    const number = this.#calls.get(node) ?? this.#calls.size;
    this.#calls.set(node, number);
    return number;
  }

  #bindArguments({ node }: FunctionValue, args: readonly Values[]): void {
    const scope = this.#scopes.get(node);
    if (!scope) return;
    for (const [index, parameter] of listIn(node, 'params').entries())
      if (parameter.type !== 'RestElement') this.#bind(parameter, args[index] ?? new Set(), scope);
      else for (const rest of args.slice(index)) this.#bind(parameter, rest, scope);
  }
}

const returnsOf = (args: readonly Values[]): readonly Value[] =>
  args.flatMap((values) => [...values].flatMap((one) => (one instanceof FunctionValue ? [...one.returns] : [])));

/** With the names that its statements declare: a function may use one that is declared below it. */
function scopeOf(node: Node, scope: Scope): Scope {
  const init = nodeIn(node, 'init') ?? nodeIn(node, 'left');
  const caught = nodeIn(node, 'param');
  const cases = listIn(node, 'cases').flatMap((one) => listIn(one, 'consequent'));
  for (const one of [...listIn(node, 'body'), ...cases, ...(init ? [init] : [])]) scope.declare(namesDeclaredBy(one));
  if (caught) scope.declare(namesBoundBy(caught));
  return scope;
}
