// Reads JSON that a stranger wrote: bounded before it is parsed, and never altered by what JavaScript or a database cannot hold.
import { isObject } from './wire.ts';

/** Far above any real delivery, and cheap to reach the end of. */
const deliveryBounds = { depth: 64, tokens: 20_000 } as const;

export interface JsonBounds {
  readonly depth: number;
  readonly tokens: number;
}

export type JsonText =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly reason: 'too_deep' | 'too_complex' | 'not JSON' };

export function readJson(text: string, bounds: JsonBounds = deliveryBounds): JsonText {
  // A text has no more tokens than characters: a short one is parsed first, and looked at afterwards.
  const isShort = text.length <= bounds.tokens;
  let excess = isShort ? undefined : excessOf(text, bounds);
  if (excess === undefined && !needsCare(text)) {
    const value = parsed(text);
    const found = value === unparsable ? 'not JSON' : look(value, bounds.depth);
    if (found === undefined) return { ok: true, value };
    if (found === 'too_deep') return { ok: false, reason: found };
  }
  if (isShort) excess = excessOf(text, bounds);
  if (excess !== undefined) return { ok: false, reason: excess };
  const value = parsed(text, careful);
  return value === unparsable ? { ok: false, reason: 'not JSON' } : { ok: true, value };
}

const unparsable = Symbol('not JSON');

function parsed(text: string, reviver?: typeof careful): unknown {
  try {
    return JSON.parse(text, reviver);
  } catch {
    return unparsable;
  }
}

/** Looks at every value: whether it lies too deep, or is a number that a double has rounded. */
function look(value: unknown, levels: number): 'too_deep' | 'unsafe number' | undefined {
  if (typeof value === 'number') return Math.abs(value) > Number.MAX_SAFE_INTEGER ? 'unsafe number' : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  if (levels === 0) return 'too_deep';
  let found: ReturnType<typeof look>;
  for (const key in value) {
    const inner: unknown = Reflect.get(value, key);
    if (typeof inner === 'string') continue;
    const seen = look(inner, levels - 1);
    if (seen === 'too_deep') return seen;
    found ??= seen;
  }
  return found;
}

/** One pass without a stack, before JSON.parse: that would take any depth, and what reads its result would not. */
function excessOf(text: string, bounds: JsonBounds): 'too_deep' | 'too_complex' | undefined {
  let depth = 0;
  let tokens = 0;
  for (let index = 0; index < text.length; index += 1) {
    switch (text.charAt(index)) {
      case '"':
        index = closingQuote(text, index);
        break;
      case '{':
      case '[':
        depth += 1;
        tokens += 1;
        if (depth > bounds.depth) return 'too_deep';
        break;
      case '}':
      case ']':
        depth -= 1;
        tokens += 1;
        break;
      case ',':
      case ':':
        tokens += 1;
        break;
    }
  }
  return tokens > bounds.tokens ? 'too_complex' : undefined;
}

/** The index of the quote that closes the string opened at `start`; the end of the text when none does. */
export function closingQuote(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text[end - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
  return text.length;
}

// `__proto__` with any of its letters escaped, and NUL and lone surrogates, escaped. A match only means the slow path, so a false one
// costs microseconds.
const escaped = /\\u(?:00(?:00|5f|6f|7[024])|d[89a-f])/i;

function needsCare(text: string): boolean {
  return text.includes('__proto__') || (text.includes('\\u') && escaped.test(text)) || !text.isWellFormed();
}

function careful(key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (key === '__proto__') return undefined;
  if (typeof value === 'string') return storable(value);
  // A double would round it: the digits are kept as text.
  if (typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER) return context?.source ?? String(value);
  return isObject(value) && !Object.keys(value).every(isStorable) ? withStorableKeys(value) : value;
}

/** NUL and half of a surrogate pair become U+FFFD: PostgreSQL refuses them and SQLite mangles them. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}

function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

function withStorableKeys(record: { readonly [key: string]: unknown }): unknown {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [storable(key), value]));
}
