// The form of a question, without a script: it sends its fields to the address of the list, which leads on to the same question in the grammar of
// the door. A field has a dot where no column has one: `.0.column`, `.0.operator`, `.0.value`, `.group.0`, `.aggregate.0`, `.of.0`, `.show`.
import { html } from 'hono/html';
import type { Described } from '#src/addons/dashboard/components/rows.ts';
import { nothing, type Markup } from '#src/addons/dashboard/components/markup.ts';
import {
  addressOf,
  orderText,
  type AskedQuestion,
  type Condition,
  type OrderTerm,
} from '#src/addons/dashboard/components/question.ts';
import { usualColumns } from './usual-columns.ts';

/** What `contains` stands for is `ilike.*…*`. */
const operators: Readonly<Record<string, string>> = {
  eq: 'is',
  neq: 'is not',
  gt: 'is more than',
  gte: 'is at least, or from',
  lt: 'is less than, or before',
  lte: 'is at most',
  contains: 'contains',
  'not.contains': 'does not contain',
  in: 'is one of (a,b)',
  'not.in': 'is none of (a,b)',
  'is.null': 'is empty',
  'not.is.null': 'is not empty',
  'is.true': 'is true',
  'is.false': 'is false',
  like: 'like a*',
  'not.like': 'not like a*',
  ilike: 'like a*, A as a',
  'not.ilike': 'not like a*, A as a',
};

const aggregates: Readonly<Record<string, string>> = {
  count: 'count of rows',
  sum: 'sum of',
  avg: 'average of',
  min: 'smallest or first',
  max: 'largest or last',
};

export interface FormState {
  readonly table: Described;
  readonly question: AskedQuestion;
  readonly path: string;
  /** The order of the rows; undefined where the question was refused. */
  readonly first: OrderTerm | undefined;
}

export function questionForm({ table, question, path, first }: FormState): Markup {
  const { conditions, groups, limit, order } = question;
  const { groupedBy, computed } = groupsIn(question.select);
  const isGrouped = computed.length > 0;
  const line = (condition: Condition | undefined, index: number): Markup =>
    conditionLine({
      table,
      condition,
      index,
      without:
        condition && addressOf(path, { ...question, conditions: conditions.filter((each) => each !== condition) }),
    });
  const others = groups.map(
    ([word, text], index) =>
      html`<p class="row other"><code>${word}=${text}</code><input type="hidden" name=".other" value="${word}=${text}" />
        <a href="${addressOf(path, { ...question, groups: groups.filter((_, at) => at !== index) })}">Remove</a></p>`,
  );
  return html`<form class="question" method="get" action="${path}" role="search">
    <input type="hidden" name=".form" value="1" />
    ${limit === undefined ? '' : html`<input type="hidden" name=".limit" value="${limit}" />`}
    ${order === undefined ? '' : html`<input type="hidden" name=".order" value="${order}" />`}
    ${order === undefined && first ? html`<input type="hidden" name=".usual" value="${orderText(first)}" />` : ''}
    <fieldset><legend>Filters</legend>
      ${conditions.map(line)}${others}${line(undefined, conditions.length)}
    </fieldset>
    <div class="row">
      ${isGrouped ? nothing : sortFields(table, first)}
      <button class="primary">Show</button>
      ${conditions.length + groups.length === 0 ? '' : html`<a href="${addressOf(path, { ...question, conditions: [], groups: [] })}">Remove all filters</a>`}
    </div>
    <details ${isGrouped ? 'open' : ''}><summary>Group and count</summary>
      ${groupFields(table, groupedBy, computed)}
      ${isGrouped ? html`<p><a href="${addressOf(path, { ...question, select: undefined, order: undefined })}">Show rows, not groups</a></p>` : ''}
    </details>
    ${columnsView({ table, question, path, first })}
  </form>`;
}

const choice = (value: string, text: string, isChosen: boolean): Markup =>
  html`<option value="${value}" ${isChosen ? 'selected' : ''}>${text}</option>`;

function columnMenu(
  { columns }: Described,
  { name, label, chosen, none }: { name: string; label: string; chosen: string | undefined; none: string },
): Markup {
  const isUnknown = chosen !== undefined && columns.every((column) => column.name !== chosen);
  return html`<select name="${name}" aria-label="${label}">
    <option value="">${none}</option>
    ${columns.map((column) => choice(column.name, column.name, column.name === chosen))}
    ${isUnknown ? choice(chosen, chosen, true) : ''}
  </select>`;
}

interface Line {
  readonly table: Described;
  readonly condition: Condition | undefined;
  readonly index: number;
  /** The address without this condition. */
  readonly without: string | undefined;
}

function conditionLine({ table, condition, index, without }: Line): Markup {
  const { operator, value } = shownTest(condition);
  const words = table.columns.find(({ name }) => name === condition?.column)?.one_of ?? [];
  const number = index + 1;
  return html`<div class="row condition">
    ${columnMenu(table, { name: `.${index}.column`, label: `Column of filter ${number}`, chosen: condition?.column, none: 'a column …' })}
    <select name=".${index}.operator" aria-label="How filter ${number} compares">
      ${Object.entries(operators).map(([each, text]) => choice(each, text, each === operator))}
      ${operator in operators ? '' : choice(operator, operator || '(no operator)', true)}
    </select>
    <input name=".${index}.value" value="${value}" aria-label="Value of filter ${number}" placeholder="a value, or 2026-11-01" autocomplete="off" ${words.length === 0 ? '' : html`list="words-${index}"`} />
    ${words.length === 0 ? '' : html`<datalist id="words-${index}">${words.map((word) => html`<option value="${word}"></option>`)}</datalist>`}
    ${without === undefined ? '' : html`<a href="${without}" aria-label="Remove filter ${number}">Remove</a>`}
  </div>`;
}

function shownTest(condition: Condition | undefined): { readonly operator: string; readonly value: string } {
  if (condition === undefined) return { operator: 'eq', value: '' };
  const { operator, value } = condition;
  if (`${operator}.${value}` in operators) return { operator: `${operator}.${value}`, value: '' };
  const [, part] = /^\*([^*%_\\]+)\*$/.exec(value) ?? [];
  if (/^(?:not\.)?ilike$/.test(operator) && part !== undefined)
    return { operator: operator.replace('ilike', 'contains'), value: part };
  if (operator.endsWith('in')) return { operator, value: value.replace(/^\((.*)\)$/s, '$1') };
  return { operator, value };
}

/** JSON is neither sorted nor grouped. */
const withoutJson = (table: Described): Described => ({
  ...table,
  columns: table.columns.filter(({ kind }) => kind !== 'json'),
});

function sortFields(table: Described, first: OrderTerm | undefined): Markup {
  return html`${columnMenu(withoutJson(table), { name: '.sort', label: 'Sort by', chosen: first?.name, none: 'sort by …' })}
    <select name=".direction" aria-label="Direction">
      ${choice('asc', 'A to Z, oldest first', first?.isDescending === false)}
      ${choice('desc', 'Z to A, newest first', first?.isDescending === true)}
    </select>`;
}

interface Computed {
  readonly aggregate: string;
  readonly column: string;
}

/** `host_name,count(),sum(moves)` */
export function groupsIn(select = ''): {
  readonly groupedBy: readonly string[];
  readonly computed: readonly Computed[];
} {
  const items = select.split(',').map((item) => ({ item, found: /^(\w+)\((\w*)\)$/.exec(item) }));
  return {
    groupedBy: items.flatMap(({ item, found }) => (found || item === '' ? [] : [item])),
    computed: items.flatMap(({ found }) => (found ? [{ aggregate: found[1] ?? '', column: found[2] ?? '' }] : [])),
  };
}

function groupFields(table: Described, groupedBy: readonly string[], computed: readonly Computed[]): Markup {
  const groups = computed.length === 0 ? [''] : [...groupedBy, ''];
  const groupable = withoutJson(table);
  return html`<fieldset><legend>One row for each</legend>
      <div class="row">${groups.map((chosen, index) => columnMenu(groupable, { name: `.group.${index}`, label: `Group by, ${index + 1}`, chosen: chosen || undefined, none: 'a column …' }))}</div>
    </fieldset>
    <fieldset><legend>with</legend>
      ${[...computed, undefined].map(
        (each, index) => html`<div class="row condition">
          <select name=".aggregate.${index}" aria-label="Computed value ${index + 1}">
            <option value="">a value …</option>
            ${Object.entries(aggregates).map(([name, text]) => choice(name, text, name === each?.aggregate))}
          </select>
          ${columnMenu(groupable, { name: `.of.${index}`, label: `Column of computed value ${index + 1}`, chosen: each?.column || undefined, none: 'of a column …' })}
        </div>`,
      )}
      <div class="row"><button>Group</button></div>
    </fieldset>`;
}

function columnsView({ table, question, path }: FormState): Markup {
  const shown = shownColumns(table, question);
  const { columns } = table;
  const isGrouped = groupsIn(question.select).computed.length > 0;
  return html`<details><summary>${isGrouped ? `${columns.length} columns` : `${shown.length} of ${columns.length} columns are shown`}, and what they mean</summary>
    ${
      isGrouped
        ? ''
        : html`<p class="row">
            <button>Show the chosen columns</button>
            <a href="${addressOf(path, { ...question, select: '*' })}">Show all</a>
            ${question.select === undefined ? '' : html`<a href="${addressOf(path, { ...question, select: undefined })}">Show the usual ones</a>`}
          </p>`
    }
    <ul class="plain meanings">
      ${columns.map(
        ({
          name,
          kind,
          about,
          joins,
          required,
        }) => html`<li>${isGrouped ? html`<code>${name}</code>` : html`<label><input type="checkbox" name=".show" value="${name}" ${shown.includes(name) ? 'checked' : ''} /> <code>${name}</code></label>`}
          <span class="soft">${kind}${required ? '' : ', may be empty'}${joins === null ? '' : html`, as <code>${joins}</code>`}</span>
          <span>${inCode(about)}</span></li>`,
      )}
    </ul>
  </details>`;
}

/** Words in backticks are code. */
export const inCode = (text: string): Markup =>
  html`${text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`;

export function shownColumns(
  table: Described,
  { select, order }: Pick<AskedQuestion, 'select' | 'order'>,
): readonly string[] {
  if (select === undefined) return usualColumns(table, sortedBy(order));
  if (select === '*') return table.columns.map(({ name }) => name);
  return groupsIn(select).groupedBy;
}

const sortedBy = (order = ''): string => /^(.*?)(?:\.(?:asc|desc))?(?:,|$)/.exec(order)?.[1] ?? '';

/** The question that a form has sent, in the grammar of the door; undefined where the address is no form's. */
export function sentQuestion(table: Described, search: URLSearchParams): AskedQuestion | undefined {
  if (!search.has('.form')) return undefined;
  const of = (name: string): string => search.get(name) ?? '';
  const indexes = [...search.keys()].flatMap((name) => /^\.(\d+)\.column$/.exec(name)?.[1] ?? []);
  const conditions = indexes.flatMap((index) => {
    const column = of(`.${index}.column`);
    return column === '' ? [] : [sentCondition(column, of(`.${index}.operator`), of(`.${index}.value`))];
  });
  const groups = search.getAll('.other').map((text) => {
    const [word = '', ...rest] = text.split('=');
    return [word, rest.join('=')] as const;
  });
  const limit = of('.limit') || undefined;
  const select = sentGroups(search);
  if (select !== undefined) return { conditions, groups, limit, select, order: groupOrder(select, of('.order')) };
  return { conditions, groups, limit, select: sentColumns(table, search), order: sentOrder(search) };
}

function sentCondition(column: string, operator: string, value: string): Condition {
  if (/(?:^|\.)is\.\w+$/.test(operator)) {
    const at = operator.lastIndexOf('.');
    return { column, operator: operator.slice(0, at), value: operator.slice(at + 1) };
  }
  if (operator.endsWith('contains'))
    return {
      column,
      operator: operator.replace('contains', 'ilike'),
      value: `*${value.replaceAll(/[*%_\\]/g, '\\$&')}*`,
    };
  if (operator.endsWith('in') && !value.startsWith('(')) return { column, operator, value: `(${value})` };
  return { column, operator, value };
}

/** `host_name,count()`; undefined where neither a group nor a value was chosen. */
function sentGroups(search: URLSearchParams): string | undefined {
  const indexes = (word: string) =>
    [...search.keys()].filter((name) => name.startsWith(`.${word}.`)).map((name) => name.slice(word.length + 2));
  const groups = indexes('group').map((index) => search.get(`.group.${index}`) ?? '');
  const values = indexes('aggregate').flatMap((index) => {
    const aggregate = search.get(`.aggregate.${index}`) ?? '';
    if (aggregate === '') return [];
    return [`${aggregate}(${aggregate === 'count' ? '' : (search.get(`.of.${index}`) ?? '')})`];
  });
  const named = groups.filter((name) => name !== '');
  if (named.length + values.length === 0) return undefined;
  return [...new Set([...named, ...(values.length === 0 ? ['count()'] : values)])].join(',');
}

/** The order stays where it names what the groups have; otherwise the largest come first. */
function groupOrder(select: string, order: string): string | undefined {
  const names = select.split(',').map(outputName);
  const isKept =
    order !== '' && order.split(',').every((term) => names.includes(outputName(term.replace(/\.(?:asc|desc)$/, ''))));
  if (isKept) return order;
  const { computed } = groupsIn(select);
  const [first] = computed;
  return first && names.length > 1 ? `${outputName(`${first.aggregate}(${first.column})`)}.desc` : undefined;
}

const outputName = (item: string): string =>
  item.replace(/^(\w+)\((\w*)\)$/, (_, word: string, name: string) => (name === '' ? word : `${word}_${name}`));

function sentColumns(table: Described, search: URLSearchParams): string | undefined {
  const shown = search.getAll('.show');
  // Those that were shown before it was sent.
  const usual = usualColumns(table, sortedBy(search.get('.order') ?? ''));
  if (shown.length === 0 || (shown.length === usual.length && usual.every((name) => shown.includes(name))))
    return undefined;
  return shown.length === table.columns.length ? '*' : shown.join(',');
}

/** An order by several columns stays while its first one does. */
function sentOrder(search: URLSearchParams): string | undefined {
  const name = search.get('.sort') ?? '';
  const before = search.get('.order') ?? '';
  if (name === '') return before || undefined;
  const chosen = orderText({ name, isDescending: search.get('.direction') === 'desc' });
  if (before === chosen || before.startsWith(`${chosen},`)) return before;
  if (before === '' && search.get('.usual') === chosen) return undefined;
  return chosen;
}
