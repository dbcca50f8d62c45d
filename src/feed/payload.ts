// Extracts the payload from the text of a delivery without parsing it, so that the feed passes it on byte by byte.
import { closingQuote, readJson } from '#schemas/json-text.ts';
import type { FeedRow } from '#src/store/log/feed.ts';

/** JSON text in one line; `null` when the body is not JSON, has no payload, is binary or was pruned. */
export function payloadText({ body, encoding, outcome }: Pick<FeedRow, 'body' | 'encoding' | 'outcome'>): string {
  if (body === null || encoding !== null) return 'null';
  // Every other entry was parsed before it got its outcome. A quarantined body may be invalid JSON, or nested too deeply for readers.
  if (outcome === 'quarantined' && !readJson(body).ok) return 'null';
  const text = memberText(body, 'payload');
  if (text === undefined) return 'null';
  // In JSON a raw line break occurs between tokens only, never inside a string.
  return lineBreak.test(text) ? text.replaceAll(/[\r\n]+/g, ' ') : text;
}

const lineBreak = /[\r\n]/;

/** The text of the last member with this name, as JSON.parse would choose. `text` is valid JSON. */
function memberText(text: string, name: string): string | undefined {
  let found: string | undefined;
  let at = afterSpace(text, 0);
  if (text[at] !== '{') return undefined;
  at = afterSpace(text, at + 1);
  while (text[at] === '"') {
    const keyEnd = endOfString(text, at);
    const isNamed = isKey(text.slice(at, keyEnd), name);
    const colon = afterSpace(text, keyEnd);
    const start = afterSpace(text, colon + 1);
    const end = endOfValue(text, start);
    if (isNamed) found = text.slice(start, end);
    const comma = afterSpace(text, end);
    at = afterSpace(text, comma + 1);
  }
  return found;
}

/** Characters of a key may be escaped. */
function isKey(quoted: string, name: string): boolean {
  return quoted.includes('\\') ? JSON.parse(quoted) === name : quoted.slice(1, -1) === name;
}

function afterSpace(text: string, from: number): number {
  let at = from;
  while (isSpace(text.charCodeAt(at))) at += 1;
  return at;
}

const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

function endOfValue(text: string, start: number): number {
  const first = text[start];
  if (first === '"') return endOfString(text, start);
  if (first === '{' || first === '[') return endOfNested(text, start);
  let at = start;
  // A number or a literal ends at the first character that cannot belong to it.
  while (at < text.length && !isSpace(text.charCodeAt(at)) && !',}]'.includes(text.charAt(at))) at += 1;
  return at;
}

function endOfNested(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length;) {
    const code = text.charCodeAt(at);
    if (code === 0x22) {
      at = endOfString(text, at);
      continue;
    }
    at += 1;
    if (code === 0x7b || code === 0x5b) depth += 1;
    else if (code === 0x7d || code === 0x5d) {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
  return text.length;
}

const endOfString = (text: string, start: number): number => closingQuote(text, start) + 1;
