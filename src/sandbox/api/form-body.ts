// A body of the type application/x-www-form-urlencoded as JSON: `events[]=a&events[]=b` is a list, `invitee[email]=a` an object.

interface Branch {
  [name: string]: Node;
}
type Node = string | Node[] | Branch;

const mostParts = 10_000;
const deepest = 8;

/** `invitee[email]` is `invitee`, `email`; `events[]` is `events` and an empty part. */
function partsOf(name: string): readonly string[] {
  const [first = name, rest = ''] = /^([^[]+)((?:\[[^[\]]*\])*)$/.exec(name)?.slice(1) ?? [];
  return [first, ...[...rest.matchAll(/\[([^[\]]*)\]/g)].map(([, part = '']) => part)].slice(0, deepest);
}

export function readForm(text: string): object {
  const root: Branch = {};
  for (const [name, value] of [...new URLSearchParams(text)].slice(0, mostParts)) {
    const parts = partsOf(name);
    if (!parts.includes('__proto__')) put(root, parts, value);
  }
  return root;
}

function put(home: Branch, [name = '', ...rest]: readonly string[], value: string): void {
  const [next, ...after] = rest;
  if (next === undefined) home[name] = value;
  else if (next === '') home[name] = added(Array.isArray(home[name]) ? home[name] : [], after, value);
  else {
    const known = home[name];
    const inner = isBranch(known) ? known : {};
    home[name] = inner;
    put(inner, rest, value);
  }
}

/** `answers[][question]=…&answers[][answer]=…` is one object, until a name comes again. */
function added(list: Node[], rest: readonly string[], value: string): Node[] {
  const [name] = rest;
  if (name === undefined) return [...list, value];
  const last = list.at(-1);
  const isOpen = isBranch(last) && !Object.hasOwn(last, name);
  const item = isOpen ? last : {};
  put(item, rest, value);
  return isOpen ? list : [...list, item];
}

const isBranch = (node: Node | undefined): node is Branch => typeof node === 'object' && !Array.isArray(node);
