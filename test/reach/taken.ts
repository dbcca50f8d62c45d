// Which properties of an argument a function takes, where its text shows that.
import { keyOf, listIn, nameOf, nodeIn, nodesIn, type Node } from './modules.ts';

/** `all` also where the function is not found. What is declared as text, a number or a truth value is data, and left out. */
export function takenBy(program: Node | undefined, name: string, index: number): ReadonlySet<string> | 'all' {
  const found = program && functionIn(program, name);
  const parameter = found && listIn(found, 'params')[index];
  const pattern = parameter?.type === 'AssignmentPattern' ? nodeIn(parameter, 'left') : parameter;
  if (!program || !found || !pattern) return 'all';
  const annotation = nodeIn(pattern, 'typeAnnotation');
  const type = annotation && nodeIn(annotation, 'typeAnnotation');
  if (isData(type)) return new Set();
  const body = nodeIn(found, 'body');
  const keys = pattern.type === 'ObjectPattern' ? keysOf(pattern) : body && keysUsedOf(nameOf(pattern), body);
  const types = memberTypes(program, type);
  if (!keys)
    return isWholeHere(program, type) ? new Set([...types.keys()].filter((key) => !isData(types.get(key)))) : 'all';
  return new Set([...keys].filter((key) => !isData(types.get(key))));
}

const isData = (type: Node | undefined): boolean =>
  type?.type === 'TSUnionType'
    ? listIn(type, 'types').every(isData)
    : /^TS((String|Number|Boolean|Undefined|Null)Keyword|LiteralType)$/.test(type?.type ?? '');

const declarationOf = (program: Node, type: Node): Node | undefined =>
  listIn(program, 'body')
    .map((one) => nodeIn(one, 'declaration') ?? one)
    .find(
      (one) =>
        /^TS(Interface|TypeAlias)/.test(one.type) && nameOf(nodeIn(one, 'id')) === nameOf(nodeIn(type, 'typeName')),
    );

/** Whether the module states every property of the type. */
function isWholeHere(program: Node, type: Node | undefined): boolean {
  const declared = type?.type === 'TSTypeReference' ? declarationOf(program, type) : undefined;
  return declared?.type === 'TSInterfaceDeclaration' && listIn(declared, 'extends').length === 0;
}

/** Of a type that the module itself states. */
function memberTypes(program: Node, type: Node | undefined): ReadonlyMap<string, Node> {
  const list = (node: Node | undefined, field: string): readonly Node[] => (node ? listIn(node, field) : []);
  switch (type?.type) {
    case 'TSTypeLiteral':
    case 'TSInterfaceBody':
      return new Map(
        [...list(type, 'members'), ...list(type, 'body')].flatMap((one) => {
          const annotation = nodeIn(one, 'typeAnnotation');
          const stated = annotation && nodeIn(annotation, 'typeAnnotation');
          return one.type === 'TSPropertySignature' && stated ? [[keyOf(one) ?? '', stated] as const] : [];
        }),
      );
    case 'TSIntersectionType':
      return new Map(list(type, 'types').flatMap((one) => [...memberTypes(program, one)]));
    case 'TSTypeReference': {
      const name = nameOf(nodeIn(type, 'typeName'));
      if (/^(Pick|Omit|Readonly|Partial)$/.test(name))
        return memberTypes(program, list(nodeIn(type, 'typeArguments'), 'params')[0]);
      const found = declarationOf(program, type);
      return memberTypes(program, found && (nodeIn(found, 'body') ?? nodeIn(found, 'typeAnnotation')));
    }
    default:
      return new Map();
  }
}

export function functionIn(program: Node, name: string): Node | undefined {
  for (const statement of listIn(program, 'body')) {
    const declared = nodeIn(statement, 'declaration') ?? statement;
    if (declared.type === 'FunctionDeclaration' && nameOf(nodeIn(declared, 'id')) === name) return declared;
    for (const one of listIn(declared, 'declarations'))
      if (nameOf(nodeIn(one, 'id')) === name && /Function/.test(nodeIn(one, 'init')?.type ?? ''))
        return nodeIn(one, 'init');
  }
  return undefined;
}

/** Undefined where a rest takes what is left. */
function keysOf(pattern: Node): ReadonlySet<string> | undefined {
  const keys = listIn(pattern, 'properties').map((one) => (one.type === 'Property' ? keyOf(one) : undefined));
  const known = keys.filter((key) => key !== undefined);
  return known.length === keys.length ? new Set(known) : undefined;
}

function keysUsedOf(name: string, body: Node): ReadonlySet<string> | undefined {
  const { keys, isWhole } = usesOf(name, body);
  return isWhole ? undefined : keys;
}

/** `p.a`, and `const { a } = p`; every other use of `p` is one of the whole. */
function usesOf(name: string, body: Node): { readonly keys: ReadonlySet<string>; readonly isWhole: boolean } {
  const keys = new Set<string>();
  let uses = 0;
  for (const node of nodesIn(body)) {
    if (node.type === 'Identifier' && nameOf(node) === name) uses += 1;
    const key = keyOf(node);
    if (node.type === 'MemberExpression' && key !== undefined) {
      const isOf = nameOf(nodeIn(node, 'object')) === name;
      if (isOf) keys.add(key);
      // `x.p` mentions the name too, and means another thing.
      if (isOf || key === name) uses -= 1;
    }
    const id = nodeIn(node, 'id');
    if (node.type !== 'VariableDeclarator' || id?.type !== 'ObjectPattern' || nameOf(nodeIn(node, 'init')) !== name)
      continue;
    for (const one of listIn(id, 'properties')) if (one.type === 'Property') keys.add(keyOf(one) ?? '');
    if (keysOf(id)) uses -= 1;
  }
  return { keys, isWhole: uses > 0 };
}

/** The properties that the functions of a module take from what they are given. */
export function takenIn(program: Node): ReadonlySet<string> {
  const taken = new Set<string>();
  for (const called of nodesIn(program))
    for (const parameter of listIn(called, 'params')) {
      const pattern = parameter.type === 'AssignmentPattern' ? nodeIn(parameter, 'left') : parameter;
      if (pattern?.type === 'ObjectPattern')
        for (const one of listIn(pattern, 'properties')) if (one.type === 'Property') taken.add(keyOf(one) ?? '');
      const [name, body] = [nameOf(pattern), nodeIn(called, 'body')];
      if (pattern?.type === 'Identifier' && body) for (const key of usesOf(name, body).keys) taken.add(key);
    }
  return taken;
}
