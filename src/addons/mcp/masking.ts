// What a model may ask of a column while people are masked, and what it sees of each value: both follow from what the column holds.
import { aggregates, comparisons, type Condition, type Question } from '#src/read/tables/question.ts';
import type { Relation, RelationColumn } from '#src/read/tables/relation.ts';
import {
  eventName,
  eventTypeName,
  isEventName,
  label,
  oneOf,
  ours,
  person,
  text,
  time,
  uri,
  type Presentation,
} from './marked.ts';
import { refusal } from './tool.ts';

type Holds = RelationColumn['holds'];

const operators = [...comparisons, 'in', 'is', 'like', 'ilike'] as const;
/** `is`: null. `not`: an operator other than `is` after `not.`, or within a group after `not.`. `count`: rows are grouped by the column. */
export const uses = [...operators, 'not', 'order', ...aggregates] as const;
export type Use = (typeof uses)[number];

/**
 * A whole value that the caller knows can be looked for. Whatever compares, sorts or gathers hidden values would find them out by and by:
 * a part of a text, a range, the greatest value, the values of the others. `is` says only whether there is one.
 */
export const askable: Readonly<Record<Holds, readonly Use[]>> = {
  plain: uses,
  person: ['eq', 'in', 'is'],
  text: ['is'],
};

/** Of all conditions of a question together. */
export const mostMaskedValues = 10;

/** By `table.column`: what a delivery of an unknown kind says there can be anything, so it is looked for as a person is. */
const asPerson: ReadonlySet<string> = new Set(['event_log.event', 'event_log.subject_uri']);

export const usesOf = ({ name, columns }: Pick<Relation, 'name' | 'columns'>, column: string): readonly Use[] =>
  askable[asPerson.has(`${name}.${column}`) ? 'person' : (columns[column]?.holds ?? 'text')];

const isMasked = (relation: Relation, column: string): boolean => usesOf(relation, column) !== askable.plain;

/**
 * A page ends at a row of the default order, which ends with the key. Where a value of the key is masked, its order would be found out by
 * pages of one row, so there are no pages: all rows that match are one answer, in no order.
 */
export const hasPages = (relation: Relation): boolean => !relation.key.some((column) => isMasked(relation, column));

/** Fails where a question could find out what is masked. */
export function checkQuestion(relation: Relation, { where, select, isGrouped, order }: Question): void {
  let values = 0;
  const need = (column: string, use: Use): void => {
    const allowed = usesOf(relation, column);
    if (allowed.includes(use)) return;
    const words = { not: 'negated', order: 'sorted by', count: 'grouped by' } as const;
    const what = use === 'not' || use === 'order' || use === 'count' ? words[use] : `asked for ${use}`;
    throw refusal(
      400,
      `${column}: masked, so it cannot be ${what}; only ${allowed.join(', ')}${allowed.length > 1 ? ', with whole values' : '.null and not.is.null'}. describe_table says what may be asked of each column.`,
    );
  };
  const check = (condition: Condition, isWithinNegated: boolean): void => {
    const isNegated = isWithinNegated || condition.isNegated;
    if (!('column' in condition)) {
      for (const part of condition.parts) check(part, isNegated);
      return;
    }
    const { column } = condition;
    // `is.true` compares with a value.
    const operator = condition.operator === 'is' && condition.value !== null ? 'eq' : condition.operator;
    need(column, operator);
    if (operator === 'is' || !isMasked(relation, column)) return;
    if (isNegated) need(column, 'not');
    values += condition.operator === 'in' ? condition.values.length : 1;
    if (values > mostMaskedValues)
      throw refusal(400, `${column}: at most ${mostMaskedValues} values of masked columns in a question.`);
  };
  for (const condition of where) check(condition, false);
  for (const { column, aggregate } of select) if (column !== undefined && isGrouped) need(column, aggregate ?? 'count');
  if (isGrouped) return;
  for (const { name } of order) need(name, 'order');
  if (order.length > 0 && !hasPages(relation))
    throw refusal(400, `order: rows of ${relation.name} have a masked key, so they come in no order.`);
}

interface Cell {
  readonly relation: Relation;
  readonly column: string;
  readonly row: Readonly<Record<string, unknown>>;
}

/** Texts of others that are shown nevertheless, and words of ours that are looked at once more; by `table.column` or by `column`. */
const shown: Readonly<Record<string, (value: string, row: Cell['row']) => Presentation>> = {
  'event_types.name': label,
  'routing_forms.name': label,
  routing_form_name: label,
  event_type_name: eventTypeName,
  'event_log.event': eventName,
  'event_log.subject_uri': (value, { event }) =>
    typeof event === 'string' && isEventName(event) ? uri(value) : text(value),
  'event_log.reason': label,
  // A tag is what a guest or a campaign says; anything else is a URI of a record, a weekday, an hour or a month.
  'no_show_rate.value': (value, { dimension }) =>
    typeof dimension === 'string' && !dimension.startsWith('utm_') ? plainText(value) : text(value),
};

/** A value of a row as a model sees it while people are masked. */
export function maskedCell({ relation, column, row }: Cell, value: unknown): Presentation {
  if (value === null || value === undefined) return null;
  const declared = relation.columns[column];
  const own = shown[`${relation.name}.${column}`] ?? shown[column];
  if (own !== undefined && typeof value === 'string') return own(value, row);
  if (declared?.holds === 'person') return personIn(value);
  if (declared?.holds !== 'plain') return text(value);
  if (declared.oneOf !== undefined && typeof value === 'string') return oneOf(declared.oneOf, value);
  if (declared.kind === 'json') return plainJson(value);
  if (typeof value !== 'string') return typeof value === 'number' || typeof value === 'boolean' ? value : text(value);
  return declared.kind === 'text' ? plainText(value) : time(value);
}

/** A text, or a list of texts, such as the addresses of a person. */
function personIn(value: unknown): Presentation {
  if (typeof value === 'string') return person(value.includes('@') ? { email: value } : { name: value });
  return Array.isArray(value) && value.every((each) => typeof each === 'string') ? value.map(personIn) : text(value);
}

/** No plain text has an address in it; of addresses of pages, only those of records are shown. */
const plainText = (value: string): Presentation =>
  /^[a-z][a-z\d+.-]*:/i.test(value) ? uri(value) : /[@＠]/.test(value) ? text(value) : ours(value);

function plainJson(value: unknown): Presentation {
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return value;
  if (Array.isArray(value)) return value.map(plainJson);
  if (typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plainJson(each)]));
  const given = String(value);
  const moment = time(given);
  if (moment?.kind === 'plain') return moment;
  const known = eventName(given);
  return known?.kind === 'plain' ? known : uri(given);
}
