// What a view is, and how its file says so: a comment with its meaning and its columns, and one select. `NAME.sql` serves both engines;
// of `NAME.postgres.sql` and `NAME.sqlite.sql` the first has the comment.
//
//   -- One row per guest of a meeting.                        what a row is
//   -- Key: event_uri, position. Since: created_at.           `Since` is optional: when a row came about
//   -- Fast: created_at.                                      optional: the columns by which an index orders the rows
//   -- Look-up: uri by last in links (first, member).         optional: rows with a `uri` are those whose `last` is that value or,
//                                                             in the table `links`, a `member` of the `first` with that value
//   --
//   -- event_uri (text, joins scheduled_events.uri): the meeting
//   -- email (text, holds person): e-mail address             a name, an address or a number of a person
//   -- note (text, holds text): what the guest wrote,         free text of strangers
//   --   as sent                                              an indented line continues the meaning
//   -- status (text, one of accepted declined): the answer
//
//   select …;
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ColumnKind, StoredColumns } from '#src/store/columns.ts';
import type { StoreEngine } from '#src/store/contract.ts';
import type { StoredRow } from '#src/store/rows.ts';

export type EngineName = StoreEngine['name'];

export interface ViewColumn {
  readonly kind: ColumnKind;
  /** A phrase, without a full stop. */
  readonly about: string;
  /** What strangers may have put in: a person's name, address or number, or free text. */
  readonly holds?: 'person' | 'text';
  /** All values there are, besides null. */
  readonly oneOf?: readonly string[];
  /** The column of a table that has the same value. */
  readonly joins?: string;
}

/** How the rows with a value of a computed column are found by indexes. */
export interface LookUp {
  readonly column: string;
  /** The column whose value is that of `column`, or that of `member` in a row of `table` where `group` is that of `column`. */
  readonly by: string;
  readonly table: string;
  readonly group: string;
  readonly member: string;
}

export interface View {
  readonly name: string;
  /** What a row is, in sentences. */
  readonly about: string;
  /** In the order of the select. New ones go to the end: PostgreSQL then replaces the view beneath views that use it. */
  readonly columns: Readonly<Record<string, ViewColumn>>;
  /** What orders and identifies a row; never null. */
  readonly key: readonly string[];
  /** The column in which a row says when it came about, where it has one. */
  readonly since: string | undefined;
  /** The columns by which an index orders the rows, so that a page in their order costs the same however many rows there are. */
  readonly fast: readonly string[];
  readonly lookUp: LookUp | undefined;
  /** What follows `create view … as`. */
  select(engine: EngineName): string;
}

const fileName = /^([a-z_]+)(?:\.(postgres|sqlite))?\.sql$/;

/** The views of a folder, by name. */
export function readViews(folder: string): readonly View[] {
  const texts = new Map<string, Map<string, string>>();
  for (const file of readdirSync(folder)) {
    const [, name, engine = 'both'] = fileName.exec(file) ?? [];
    if (name === undefined) continue;
    const ofView = texts.get(name) ?? new Map<string, string>();
    texts.set(name, ofView.set(engine, readFileSync(join(folder, file), 'utf8')));
  }
  return [...texts.keys()].toSorted().map((name) => viewOf(name, texts.get(name) ?? new Map()));
}

function viewOf(name: string, files: ReadonlyMap<string, string>): View {
  const textFor = (engine: EngineName): string => {
    const text = files.get('both') ?? files.get(engine);
    if (text === undefined) throw new Error(`src/store/views has no ${name}.${engine}.sql`);
    return text.replace(/\s*;\s*$/, '');
  };
  const texts = { postgres: textFor('postgres'), sqlite: textFor('sqlite') };
  return { name, ...meaningIn(name, texts.postgres), select: (engine) => texts[engine] };
}

const columnForm = /^(\w+) \((\w+)(?:, ([^)]*))?\): (.+)$/;
const isKind = (text: string): text is ColumnKind =>
  ['text', 'time', 'date', 'json', 'flag', 'integer', 'number'].includes(text);

/** The comment at the beginning of a file, up to the first line that is none. */
function meaningIn(name: string, text: string): Omit<View, 'name' | 'select'> {
  const lines = text.slice(0, text.search(/^(?!--)/m)).split('\n');
  // An indented line belongs to the line before.
  const comment = lines.map((line) => line.replace(/^--(?: (?! )|$)/, '\n').replace(/^-- +/, ' ')).join('');
  const [head = '', list = ''] = comment.split('\n\n').filter((part) => part.trim() !== '');
  const [, about, key, since, fast = '', found] =
    /^([^]+?)\s+Key: ([\w, ]+)\.(?: Since: (\w+)\.)?(?: Fast: ([\w, ]+)\.)?(?: Look-up: ([^.]+)\.)?$/.exec(
      head.trim().replaceAll(/\s+/g, ' '),
    ) ?? [];
  if (about === undefined || key === undefined)
    throw new Error(`The view ${name} begins with what a row is, and with "Key: …."`);
  const columns = list
    .trim()
    .split('\n')
    .map((line) => columnIn(name, line));
  return {
    about,
    key: key.split(', '),
    since,
    fast: fast === '' ? [] : fast.split(', '),
    lookUp: found === undefined ? undefined : lookUpIn(name, found),
    columns: Object.fromEntries(columns),
  };
}

function lookUpIn(view: string, text: string): LookUp {
  const [, column, by, table, group, member] = /^(\w+) by (\w+) in (\w+) \((\w+), (\w+)\)$/.exec(text) ?? [];
  if (column === undefined || by === undefined || table === undefined || group === undefined || member === undefined)
    throw new Error(`The look-up of the view ${view} is "column by column in table (column, column)", not: ${text}`);
  return { column, by, table, group, member };
}

function columnIn(view: string, line: string): readonly [string, ViewColumn] {
  const [, name = '', kind = '', more = '', about = ''] = columnForm.exec(line) ?? [];
  const [, verb = '', words = ''] = /^(holds|one of|joins) (.+)$/.exec(more) ?? [];
  const isKnown = verb !== '' && (verb !== 'holds' || words === 'person' || words === 'text');
  if (!isKind(kind) || (more !== '' && !isKnown))
    throw new Error(`A column of the view ${view} is "name (kind): meaning", not: ${line}`);
  const column = { kind, about };
  if (verb === 'joins') return [name, { ...column, joins: words }];
  if (verb === 'one of') return [name, { ...column, oneOf: words.split(' ') }];
  return [name, verb === 'holds' ? { ...column, holds: words === 'person' ? 'person' : 'text' } : column];
}

/** With the names of the others that each reads, after those. */
export function inOrderOfUse(
  views: readonly View[],
  engine: EngineName,
): readonly (View & { readonly uses: ReadonlySet<string> })[] {
  const byName = new Map(views.map((view) => [view.name, view]));
  const used = new Map<string, ReadonlySet<string>>();
  const usesOf = ({ name, select }: View): ReadonlySet<string> => {
    const known = used.get(name);
    if (known !== undefined) return known;
    const named = [...select(engine).matchAll(/\b(?:from|join)\s+(\w+)/g)].flatMap(
      ([, each = '']) => byName.get(each) ?? [],
    );
    const found = new Set(named.flatMap((each) => (each.name === name ? [] : [...usesOf(each), each.name])));
    used.set(name, found);
    return found;
  };
  for (const view of views) usesOf(view);
  // A view is noted when all that it reads are.
  return [...used].flatMap(([name, uses]) => {
    const view = byName.get(name);
    return view === undefined ? [] : [{ ...view, uses }];
  });
}

export const decodeViewRow = (engine: StoreEngine, columns: View['columns'], stored: StoredColumns): StoredRow =>
  Object.fromEntries(
    Object.entries(columns).map(([name, { kind }]) => [name, engine.decode(kind, stored[name] ?? null)]),
  );
