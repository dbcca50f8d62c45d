// What the record of actions keeps of a call: which table, columns and operators, times and URIs. Any other text may be about a person.
import { isObject } from '#schemas/wire.ts';
import type { ActionInput } from '#src/api/audit.ts';
import { commonRelations } from '#src/read/tables/relation.ts';
import { hidden, isPlain } from './marked.ts';
import { uses } from './masking.ts';

const known: ReadonlySet<string> = new Set([
  ...uses,
  'asc',
  'desc',
  'and',
  'or',
  'null',
  'true',
  'false',
  ...commonRelations().flatMap(({ name, columns }) => [
    name,
    ...Object.entries(columns).flatMap(([column, { oneOf = [] }]) => [column, ...oneOf]),
  ]),
]);

type Input = Readonly<Record<string, unknown>>;

export function recordedInput({ table, record, filters, and, or, email, select, order, limit }: Input): ActionInput {
  const groups = Object.entries({ and, or }).flatMap(([name, text]) => (typeof text === 'string' ? name + text : []));
  const where = [...(isObject(filters) ? testsIn(filters) : []), ...groups.map(recordedText)].join();
  const about = table ?? record;
  const query = { where: where === '' ? undefined : where, email, limit, ...recordedTexts({ select, order }) };
  return { params: recordedTexts(about === undefined ? {} : { about }), query, body: undefined };
}

const recordedTexts = (texts: Input): Input =>
  Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, typeof text === 'string' ? recordedText(text) : text]),
  );

const testsIn = (filters: object): readonly string[] =>
  Object.entries(filters).flatMap(([column, tests]: [string, unknown]) =>
    [tests].flat().map((test) => `${recordedText(column)}.${recordedTest(String(test))}`),
  );

/** `gte.2026-11-01T00:00:00Z` */
function recordedTest(test: string): string {
  const [, operator, value = ''] = /^((?:not\.)?[a-z]+\.)(.*)$/s.exec(test) ?? [];
  return operator !== undefined && isPlain(value) ? recordedText(operator) + value : recordedText(test);
}

/** Words between brackets, commas and points. */
const recordedText = (text: string): string =>
  isPlain(text) ? text : text.replaceAll(/[^(),.]+/g, (word) => (known.has(word) ? word : hidden));
