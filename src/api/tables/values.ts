// The values of a condition, each of the kind of its column.
import { z } from 'zod';
import { boundary } from '#src/http/request.ts';
import type { ColumnKind } from '#src/store/columns.ts';
import type { Pattern, Value } from '#src/read/tables/question.ts';
import type { RelationColumn } from '#src/read/tables/relation.ts';
import { suggestion } from './refusal.ts';

const time = boundary(false);
const day = z.iso.date();

/** What a value of each kind looks like. JSON is not compared. */
const expected: Readonly<Record<Exclude<ColumnKind, 'json'>, string>> = {
  text: 'expected a text without the character NUL',
  time: 'expected a time, such as 2026-11-01T00:00:00Z, or a day, which is its first moment in UTC',
  date: 'expected a day, such as 2026-11-01',
  flag: 'expected true or false',
  integer: 'expected a whole number',
  number: 'expected a number',
};

/** The value; or why it is none. */
export function valueOf(
  { kind, oneOf }: Pick<RelationColumn, 'kind' | 'oneOf'>,
  text: string,
): { readonly value: Value } | string {
  if (kind === 'json') return 'is JSON, which only is.null compares.';
  const value = parsed(kind, text);
  if (value === undefined) return `${expected[kind]}.`;
  if (oneOf !== undefined && !oneOf.includes(text))
    return `expected one of ${oneOf.join(', ')}.${suggestion(text, oneOf)}`;
  return { value };
}

function parsed(kind: Exclude<ColumnKind, 'json'>, text: string): Value | undefined {
  switch (kind) {
    case 'text':
      return text.includes('\0') ? undefined : text;
    case 'time': {
      const { data } = time.safeParse(text);
      return data === undefined || data.startsWith('0000') ? undefined : data;
    }
    case 'date':
      return day.safeParse(text).success && !text.startsWith('0000') ? text : undefined;
    case 'flag':
      return text === 'true' ? true : text === 'false' ? false : undefined;
    case 'integer':
      return /^-?\d{1,15}$/.test(text) ? Number(text) : undefined;
    case 'number': {
      const number = /^-?\d{1,30}(\.\d{1,30})?(e[-+]?\d{1,3})?$/i.test(text) ? Number(text) : Infinity;
      return Number.isFinite(number) ? number : undefined;
    }
  }
}

/** `*` and `%` stand for any text, `_` for one character; a backslash before one of them, or before another, takes that away. */
export function patternOf(text: string): Pattern {
  const parts: Pattern[number][] = [];
  for (const [each] of text.matchAll(/\\[*%_\\]|[*%]+|_|[^\\*%_]+|\\/g)) {
    if (/^[*%]/.test(each)) parts.push({ any: 'many' });
    else if (each === '_') parts.push({ any: 'one' });
    else parts.push(each.length === 2 && each.startsWith('\\') ? each.slice(1) : each);
  }
  return parts;
}
