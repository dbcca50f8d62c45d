// The question in the address of a list, in the grammar of /api/tables: `?outcome=eq.no_show&select=host_name,count()&order=count.desc`. It is
// read here without a check, so that a form can show also what the door refuses.

export interface Condition {
  readonly column: string;
  /** With what follows `not.`: `not.in`; empty where the text begins with none. */
  readonly operator: string;
  readonly value: string;
}

export interface AskedQuestion {
  readonly conditions: readonly Condition[];
  /** `or`, `and` and their opposites, each with its brackets. */
  readonly groups: readonly (readonly [word: string, text: string])[];
  readonly select?: string | undefined;
  readonly order?: string | undefined;
  readonly limit?: string | undefined;
}

type Pairs = readonly (readonly [name: string, text: string])[];

const groupWords = ['or', 'and', 'not.or', 'not.and'];
/** A column with such a name is compared within `and=(…)`. */
const words: readonly string[] = [...groupWords, 'select', 'order', 'limit', 'page_token', 'raw'];

export function questionIn(search: URLSearchParams): AskedQuestion {
  const of = (name: string) => search.get(name) ?? undefined;
  const pairs = [...search];
  return {
    conditions: pairs.filter(([name]) => !words.includes(name)).map(([name, text]) => conditionIn(name, text)),
    groups: pairs.filter(([name]) => groupWords.includes(name)),
    select: of('select'),
    order: of('order'),
    limit: of('limit'),
  };
}

function conditionIn(column: string, text: string): Condition {
  const [, operator = '', value = text] = /^((?:not\.)?\w+)\.(.*)$/s.exec(text) ?? [];
  return { column, operator, value };
}

/** What the address has, in an order of its own: the same question has one address. */
export function pairsOf({ conditions, groups, select, order, limit }: AskedQuestion): Pairs {
  const tests = conditions.map(({ column, operator, value }): Pairs[number] => {
    const test = operator === '' ? value : `${operator}.${value}`;
    return words.includes(column) ? ['and', `(${column}.${quotedTest(operator, value)})`] : [column, test];
  });
  const rest = { select, order, limit };
  return [
    ...tests,
    ...groups,
    ...Object.entries(rest).flatMap(([name, text]): Pairs => (text === undefined ? [] : [[name, text]])),
  ];
}

const quotedTest = (operator: string, value: string): string =>
  /(?:in|is)$/.test(operator) ? `${operator}.${value}` : `${operator}."${value.replaceAll(/["\\]/g, '\\$&')}"`;

export const searchOf = (question: AskedQuestion): URLSearchParams =>
  new URLSearchParams(pairsOf(question).map(([name, text]): [string, string] => [name, text]));

/** As a person writes it; safe in quotes of a shell. */
export function addressOf(path: string, question: AskedQuestion, pageToken?: string): string {
  const pairs = [...pairsOf(question), ...(pageToken === undefined ? [] : [['page_token', pageToken] as const])];
  const search = pairs.map(([name, text]) => `${readable(name)}=${readable(text)}`).join('&');
  return search === '' ? path : `${path}?${search}`;
}

const readable = (text: string): string => encoded(text).replaceAll(/%(?:2C|3A|2F|40)/g, decodeURIComponent);

const encoded = (text: string): string => encodeURIComponent(text.toWellFormed()).replaceAll("'", '%27');

export interface OrderTerm {
  readonly name: string;
  readonly isDescending: boolean;
}

export const orderText = ({ name, isDescending }: OrderTerm): string => `${name}.${isDescending ? 'desc' : 'asc'}`;

/** The address of the page of one row; undefined where the row lacks a part of its key. */
export function recordAddress(
  { name, key }: { readonly name: string; readonly key: readonly string[] },
  row: Readonly<Record<string, unknown>>,
): string | undefined {
  const parts = key.map((column) => row[column]);
  if (parts.length === 0 || parts.some((part) => part === null || part === undefined)) return undefined;
  const texts = parts.map(String);
  const text = texts.length === 1 ? texts : texts.map((part) => `"${part.replaceAll(/["\\]/g, '\\$&')}"`);
  return text.join('') === '' ? undefined : pathOf(name, text.join(','));
}

export const pathOf = (table: string, key: string): string => `/tables/${table}/${encoded(key)}`;

/** The rows of a table that have a value. */
export const rowsWith = (table: string, column: string, value: string | number | boolean): string =>
  addressOf(`/tables/${table}`, { conditions: [{ column, operator: 'eq', value: String(value) }], groups: [] });
