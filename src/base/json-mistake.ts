// Where a text stops being JSON, for people.
import { parse, printParseErrorCode, type ParseError } from 'jsonc-parser';
import { readJson } from '#schemas/json-text.ts';

/** Of a text that `readJson` calls `not JSON`: the parser is recursive, and such a text is not deep. */
export function mistakeAt(text: string): number {
  const errors: ParseError[] = [];
  parse(text, errors, { disallowComments: true });
  const [first] = errors;
  if (first === undefined) return text.length;
  const isOpen = printParseErrorCode(first.error) === 'UnexpectedEndOfString';
  return isOpen ? first.offset + first.length : first.offset;
}

/** `line 3, column 5`, and what is likely wrong there; undefined where the text is JSON. */
export function jsonMistake(text: string): string | undefined {
  const read = readJson(text, { depth: 64, tokens: Number.POSITIVE_INFINITY });
  if (read.ok) return undefined;
  if (read.reason !== 'not JSON') return 'it is nested too deeply';
  const at = mistakeAt(text);
  const lines = text.slice(0, at).split('\n');
  const where = `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
  const isAfterComma = /,\s*$/.test(text.slice(0, at)) && /[\]}]/.test(text.charAt(at));
  if (isAfterComma) return `${where}: a comma after the last entry?`;
  return at >= text.length ? `${where}: it ends too early` : `${where}: unexpected ${JSON.stringify(text.charAt(at))}`;
}
