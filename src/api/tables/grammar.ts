// Reads the question in an address: `outcome=eq.no_show&or=(…)&select=host_name,count()&order=start_time.desc&limit=100`. Every column,
// operator and value is checked against the declaration, so what comes out names only what exists and the caller may read.
import { denied } from '#src/http/http-error.ts';
import {
  aggregates,
  comparisons,
  type Condition,
  type OrderTerm,
  type Question,
  type Selected,
  type Test,
} from '#src/read/tables/question.ts';
import type { Relation, RelationColumn } from '#src/read/tables/relation.ts';
import { groupIn, itemsIn, unquoted } from './lists.ts';
import { quoted, refuse, suggestion } from './refusal.ts';
import { patternOf, valueOf } from './values.ts';

export const mostConditions = 20;
export const mostValues = 200;
export const deepest = 3;
export const usualRows = 100;
export const mostRows = 1_000;

/** Names and texts as the address has them, without those of the page. */
export type Parameters = readonly (readonly [name: string, text: string])[];

export interface Asked {
  readonly relation: Relation;
  /** The caller may read what only administrators may. */
  readonly isAdmin: boolean;
}

/** A column with one of these names is compared within `and=(…)`. */
const words = ['select', 'order', 'limit', 'or', 'and', 'not.or', 'not.and'] as const;
const operators = [...comparisons, 'in', 'is', 'like', 'ilike'] as const;

export function readQuestion(asked: Asked, parameters: Parameters): Question {
  const reader = createReader(asked);
  const once = (name: string): string | undefined => {
    const [first, second] = parameters.filter(([each]) => each === name);
    if (second !== undefined) throw refuse(name, 'given more than once');
    return first?.[1];
  };
  const { select, isGrouped } = reader.select(once('select'));
  const where = parameters.flatMap(([name, text]): readonly Condition[] => {
    const word = words.find((each) => each === name);
    if (word === 'select' || word === 'order' || word === 'limit') return [];
    if (word === undefined) return [reader.test(name, text, name)];
    const group = reader.group(word, text, { parameter: word, depth: 1 });
    // Its parts hold by themselves.
    return group.operator === 'and' && !group.isNegated ? group.parts : [group];
  });
  const order = reader.order(once('order'), isGrouped ? select : undefined);
  return { where, select, isGrouped, order, limit: limitOf(once('limit')) };
}

function limitOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > mostRows) throw refuse('limit', `a whole number from 1 to ${mostRows}`);
  return limit;
}

type Group = Extract<Condition, { readonly parts: unknown }>;
/** `parameter` is where the text stands in the address. */
interface Where {
  readonly parameter: string;
  readonly depth: number;
}

function createReader({ relation, isAdmin }: Asked) {
  const { name: table, columns } = relation;
  const names = Object.keys(columns);
  let conditions = 0;
  let values = 0;

  function columnNamed(name: string, parameter: string): RelationColumn {
    const column = Object.hasOwn(columns, name) ? columns[name] : undefined;
    if (column === undefined) throw noColumn(name, parameter);
    if (column.isForAdmins && !isAdmin) throw denied(`The column ${name} of ${table} needs the admin token.`);
    return column;
  }

  function noColumn(name: string, parameter: string, others: readonly string[] = []): Error {
    const near = suggestion(name, [...names, ...others]);
    return refuse(parameter, `${table} has no column ${quoted(name)}.${near || ` GET /api/tables lists its columns.`}`);
  }

  /** `eq.no_show` or `not.in.(a,b)`, of a column. */
  function test(name: string, text: string, parameter: string): Condition {
    const others = parameter === name ? words : [];
    if (!Object.hasOwn(columns, name)) throw noColumn(name, parameter, others);
    const column = columnNamed(name, parameter);
    conditions += 1;
    if (conditions > mostConditions) throw refuse(parameter, `at most ${mostConditions} conditions`);
    const isNegated = text.startsWith('not.');
    const rest = isNegated ? text.slice('not.'.length) : text;
    const [word = '', ...parts] = rest.split('.');
    const operator = operators.find((each) => each === word);
    if (operator === undefined || parts.length === 0) {
      const near = operator === undefined ? suggestion(word, operators) : '';
      throw refuse(
        parameter,
        `${name}: expected an operator and a value, such as eq.…; the operators are ${operators.join(', ')}, each also after "not.".${near}`,
      );
    }
    return { column: name, isNegated, ...compared(name, column, { operator, text: parts.join('.'), parameter }) };
  }

  function compared(
    name: string,
    column: RelationColumn,
    { operator, text, parameter }: { operator: (typeof operators)[number]; text: string; parameter: string },
  ): Test {
    const wrong = (message: string) => refuse(parameter, `${name}: ${message}`);
    const count = (given: number) => {
      values += given;
      if (values > mostValues) throw refuse(parameter, `at most ${mostValues} values`);
    };
    const read = (each: string) => {
      const found = valueOf(column, each);
      if (typeof found === 'string') throw wrong(found);
      return found.value;
    };
    switch (operator) {
      case 'is': {
        const value = text === 'null' ? null : text === 'true' ? true : text === 'false' ? false : undefined;
        if (value === undefined || (value !== null && column.kind !== 'flag'))
          throw wrong(column.kind === 'flag' ? 'expected is.null, is.true or is.false.' : 'expected is.null.');
        return { operator, value };
      }
      case 'in': {
        const items = itemsIn(text);
        if (items === undefined)
          throw wrong('expected a list, such as in.(a,b); a value with a comma or a bracket is in double quotes.');
        count(items.length);
        return { operator, values: items.map((each) => read(unquoted(each))) };
      }
      case 'like':
      case 'ilike': {
        if (column.kind !== 'text') throw wrong(`is no text: ${operator} does not compare it.`);
        count(1);
        if (text.includes('\0')) throw wrong('expected a text without the character NUL.');
        return { operator, pattern: patternOf(text) };
      }
      default:
        count(1);
        return { operator, value: read(text) };
    }
  }

  /** `(a.eq.1,or(b.is.null,c.gt.2))` */
  function group(word: string, text: string, { parameter, depth }: Where): Group {
    const isNegated = word.startsWith('not.');
    const operator = word.endsWith('or') ? 'or' : 'and';
    if (depth > deepest) throw refuse(parameter, `at most ${deepest} groups within each other`);
    const items = itemsIn(text);
    if (items === undefined || items.length === 0)
      throw refuse(parameter, `expected conditions in brackets, such as ${word}=(a.eq.1,b.is.null)`);
    const parts = items.map((item) => {
      const inner = groupIn(item);
      if (inner !== undefined) return group(inner.word, inner.text, { parameter, depth: depth + 1 });
      const end = item.indexOf('.');
      if (end < 0) throw refuse(parameter, 'expected column.operator.value');
      return test(item.slice(0, end), unquotedValue(item.slice(end + 1)), parameter);
    });
    return { operator, isNegated, parts };
  }

  function select(text: string | undefined): Pick<Question, 'select' | 'isGrouped'> {
    const readable = names.filter((name) => isAdmin || columns[name]?.isForAdmins === false);
    const all = readable.map((name): Selected => ({ name, column: name, aggregate: undefined }));
    if (text === undefined || text === '*') return { select: all, isGrouped: false };
    const chosen = text.split(',').map(selected);
    const twice = chosen.find(({ name }, index) => chosen.findIndex((other) => other.name === name) < index);
    if (twice !== undefined) throw refuse('select', `${twice.name} stands there twice`);
    const isGrouped = chosen.some(({ aggregate }) => aggregate !== undefined);
    const json =
      isGrouped && chosen.find(({ column = '', aggregate }) => !aggregate && columns[column]?.kind === 'json');
    if (json) throw refuse('select', `${json.name} is JSON: rows are not grouped by it.`);
    return { select: chosen, isGrouped };
  }

  function selected(item: string): Selected {
    const [, word, name] = /^(\w+)\((\w*)\)$/.exec(item) ?? [];
    if (word === undefined || name === undefined) {
      columnNamed(item, 'select');
      return { name: item, column: item, aggregate: undefined };
    }
    const aggregate = aggregates.find((each) => each === word);
    if (aggregate === undefined)
      throw refuse(
        'select',
        `There are count(), ${aggregates.slice(1).join('(…), ')}(…).${suggestion(word, aggregates)}`,
      );
    if (aggregate === 'count') {
      if (name !== '') throw refuse('select', 'count() counts rows and takes no column.');
      return { name: aggregate, column: undefined, aggregate };
    }
    const { kind } = columnNamed(name, 'select');
    const isNumber = kind === 'integer' || kind === 'number';
    if (aggregate === 'sum' || aggregate === 'avg' ? !isNumber : kind === 'json' || kind === 'flag')
      throw refuse('select', `${aggregate} takes ${isSummed(aggregate)}; ${name} is ${kind}.`);
    return { name: `${aggregate}_${name}`, column: name, aggregate };
  }

  /** `outputs`: the columns of the answer, where groups are sorted. */
  function order(text: string | undefined, outputs: readonly Selected[] | undefined): readonly OrderTerm[] {
    if (text === undefined) return [];
    const terms = text.split(',').map((item): OrderTerm => {
      const [, name = item, direction] = /^(.*?)(?:\.(asc|desc))?$/s.exec(item) ?? [];
      if (outputs === undefined) {
        const { kind } = columnNamed(name, 'order');
        if (kind === 'json') throw refuse('order', `${name} is JSON: rows are not sorted by it.`);
      }
      const output = outputs?.find(
        (each) => each.name === name || each.name === name.replace(/^(\w+)\((\w*)\)$/, named),
      );
      if (outputs !== undefined && output === undefined)
        throw refuse(
          'order',
          `Groups are sorted by what select names.${suggestion(
            name,
            outputs.map((each) => each.name),
          )}`,
        );
      return { name: output?.name ?? name, isDescending: direction === 'desc' };
    });
    const twice = terms.find(({ name }, index) => terms.findIndex((other) => other.name === name) < index);
    if (twice !== undefined) throw refuse('order', `${twice.name} stands there twice`);
    return terms;
  }

  return { test, group, select, order };
}

const isSummed = (aggregate: string): string =>
  aggregate === 'sum' || aggregate === 'avg' ? 'a number' : 'a text, a time or a number';

/** `sum(payment_amount)` is the column `sum_payment_amount` of the answer. */
const named = (_: string, aggregate: string, column: string): string =>
  column === '' ? aggregate : `${aggregate}_${column}`;

/** Within a group, a value with a comma or a bracket is in double quotes, as those of a list are. */
function unquotedValue(test: string): string {
  const [, operator = '', value = test] = /^((?:not\.)?\w+\.)(".*")$/s.exec(test) ?? [];
  return operator + (operator === '' ? test : unquoted(value));
}
