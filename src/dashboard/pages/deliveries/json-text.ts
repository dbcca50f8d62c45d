// Indents JSON text without parsing its values: every number and every string stays exactly as it was sent.
import { closingQuote } from '#schemas/json-text.ts';

export type JsonPath = readonly (string | number)[];

export interface JsonLine {
  readonly indent: number;
  /** The name of the field, as it was sent; empty for items of lists and closing brackets. */
  readonly name: string;
  readonly text: string;
  /** Where the value is that begins on this line; undefined for a closing bracket. */
  readonly path: JsonPath | undefined;
}

/** Deeper levels are not indented further. */
const mostIndent = 40;

interface Container {
  readonly isList: boolean;
  key: string | number;
}

/** One line per value. The text has to be JSON that `readJson` accepts: every line holds its path, so memory grows with the depth. */
export function jsonLines(text: string): JsonLine[] {
  const lines: JsonLine[] = [];
  const within: Container[] = [];
  let line = { indent: 0, name: '', text: '', path: undefined as JsonPath | undefined };
  const begin = () => {
    line = { indent: Math.min(within.length, mostIndent), name: '', text: '', path: undefined };
  };
  const end = () => {
    if (line.name + line.text !== '') lines.push(line);
    begin();
  };
  const value = (token: string) => {
    line.path ??= within.map(({ key }) => key);
    line.text += token;
  };
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    const container = within.at(-1);
    switch (character) {
      case ' ':
      case '\n':
      case '\r':
      case '\t':
        break;
      case '{':
      case '[': {
        value(character);
        const close = nextToken(text, at + 1);
        if (text[close] === '}' || text[close] === ']') {
          line.text += text.charAt(close);
          at = close;
          break;
        }
        within.push({ isList: character === '[', key: character === '[' ? 0 : '' });
        end();
        break;
      }
      case '}':
      case ']':
        end();
        within.pop();
        begin();
        line.text = character;
        break;
      case ',':
        line.text += character;
        end();
        if (container && typeof container.key === 'number') container.key += 1;
        break;
      case ':':
        break;
      case '"': {
        const last = closingQuote(text, at);
        const token = text.slice(at, last + 1);
        at = last;
        if (container && !container.isList && line.name === '') {
          line.name = token;
          container.key = nameOf(token);
        } else value(token);
        break;
      }
      default: {
        const [token = character] = /^[^\s,\]}]+/.exec(text.slice(at, at + maxToken)) ?? [];
        value(token);
        at += token.length - 1;
      }
    }
  }
  end();
  return lines;
}

/** A number may have any length; what is longer continues as the next token of the same value. */
const maxToken = 1_000;

function nextToken(text: string, from: number): number {
  let at = from;
  while (/\s/.test(text.charAt(at))) at += 1;
  return at;
}

function nameOf(token: string): string {
  const name: unknown = JSON.parse(token);
  return String(name);
}

/** Where the text stops being JSON; undefined when it is JSON. */
export function syntaxErrorIn(text: string): { readonly at: number } | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    // The engine names the position of some mistakes; for others, the first part that is no token is one.
    const [, position] = /at position (\d+)/.exec(error instanceof Error ? error.message : '') ?? [];
    return { at: position === undefined ? tokensEnd(text) : Number(position) };
  }
}

const token = /[\s{}[\],:]|(?:true|false|null|-?\d[\d.eE+-]*)(?![\w.])/y;

function tokensEnd(text: string): number {
  for (let at = 0; at < text.length;) {
    token.lastIndex = at;
    if (token.test(text)) at = token.lastIndex;
    else if (text[at] !== '"') return at;
    else at = closingQuote(text, at) + 1;
  }
  return text.length;
}

/** The index of the line that a path leads to: of the value itself, or of the innermost value around it that exists. */
export function lineAt(lines: readonly JsonLine[], path: JsonPath): number {
  for (let length = path.length; length > 0; length -= 1) {
    const wanted = path.slice(0, length);
    const index = lines.findIndex(
      (line) => line.path?.length === length && wanted.every((key, n) => line.path?.[n] === key),
    );
    if (index !== -1) return index;
  }
  return 0;
}
