// How a table is declared: its columns, what each of them means, what its values may hold, and who may read them. Row types, comments in
// PostgreSQL, docs/tables.md, the types of `slotstream/tables` and the rights of the read-only role follow from it.
import { z } from 'zod';
import { instant } from '#schemas/resources/values.ts';
import type { ColumnKind, ColumnKinds, StoredAs, TableShape } from '#src/store/columns.ts';

/**
 * What the values of a column may hold: `person` is about a person, such as a name, an address, a list of people, or a link with which
 * anyone joins, cancels or moves their meeting (D76); `text` is free text that people write; a `secret` opens the mirror itself.
 * Anything else is `plain`: numbers, times, states, URIs, our own words.
 */
export type Content = 'person' | 'text' | 'secret' | 'plain';

/** Who may read it: `all` who read the tables, only `admin`istrators, or `never` anyone but the program. */
export type Readers = 'all' | 'admin' | 'never';

export interface Column<
  Kind extends ColumnKind = ColumnKind,
  Value = unknown,
  IsRequired extends boolean = boolean,
> extends Meaning {
  readonly kind: Kind;
  /** Never null, as a column of the key. */
  readonly required: IsRequired;
  /** Only for the compiler. */
  readonly value?: Value;
}

interface Meaning {
  /** A phrase, without a full stop. */
  readonly about: string;
  readonly holds: Content;
  /** The column of another table that has the same value. */
  readonly joins: string | undefined;
  /** The field of the service that the value is from, where it has another name: `tracking.utm_source` is a field within a field. */
  readonly sentAs: string | undefined;
  readonly oneOf: readonly string[] | undefined;
  /** The service may send other values than those of `oneOf`. */
  readonly isOpen: boolean;
  /** Where fewer may read it than the table. */
  readonly readable: Exclude<Readers, 'all'> | undefined;
  /** The URI of a record. */
  readonly isUri: boolean;
}

interface Options {
  readonly joins?: string;
  readonly sentAs?: string;
  readonly required?: true;
  readonly readable?: Exclude<Readers, 'all'>;
}

/** A text or JSON column says what its values hold, or which values it has. */
type Decision =
  | { readonly holds: Content; readonly oneOf?: never; readonly orOther?: never }
  | { readonly oneOf: readonly string[]; readonly orOther?: true; readonly holds?: never };
type Stated<Given> = Given extends { readonly required: true } ? true : false;
type TextIn<Given> = Given extends { readonly oneOf: readonly (infer Word extends string)[] }
  ? Given extends { readonly orOther: true }
    ? Word | (string & {})
    : Word
  : string;

interface Given extends Options, Partial<Pick<Meaning, 'oneOf' | 'isOpen' | 'isUri'>> {
  readonly holds: Content;
}

function column<Kind extends ColumnKind, Value, IsRequired extends boolean>(
  kind: Kind,
  about: string,
  { joins, sentAs, readable, holds, oneOf, isOpen = false, isUri = false, ...given }: Given,
): Column<Kind, Value, IsRequired> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `Stated` reads the type as this does the value
  const required = (given.required === true) as IsRequired;
  return { kind, about, holds, required, joins, sentAs, oneOf, isOpen, readable, isUri };
}

/** A column without a decision does not compile, and a test finds it. */
export function text<const Chosen extends Options & Decision>(
  about: string,
  chosen: Chosen,
): Column<'text', TextIn<Chosen>, Stated<Chosen>> {
  const { holds, oneOf, orOther, ...options }: Options & Decision = chosen;
  if (oneOf === undefined) return column('text', about, { ...options, holds });
  return column('text', about, { ...options, holds: 'plain', oneOf, isOpen: orOther === true });
}

/** The URI of a record: it names no person. */
export const uri = <const Chosen extends Options>(
  about: string,
  options?: Chosen,
): Column<'text', string, Stated<Chosen>> => column('text', about, { ...options, holds: 'plain', isUri: true });

export const json = <const Chosen extends Options & { readonly holds: Content }>(
  about: string,
  options: Chosen,
): Column<'json', ColumnKinds['json'], Stated<Chosen>> => column('json', about, options);

const plain =
  <Kind extends ColumnKind>(kind: Kind) =>
  <const Chosen extends Options>(about: string, options?: Chosen): Column<Kind, ColumnKinds[Kind], Stated<Chosen>> =>
    column(kind, about, { ...options, holds: 'plain' });

export const time = plain('time');
export const flag = plain('flag');
export const integer = plain('integer');
export const number = plain('number');

export interface DeclaredTable {
  readonly name: string;
  /** The columns of the primary key; never null. */
  readonly key: readonly string[];
  readonly readable: Readers;
  /** The columns, besides the key, by which an index orders all rows: a page in their order costs the same however many there are. */
  readonly fast?: readonly string[];
  /** One or two sentences. */
  readonly about: string;
  /** In the order in which they are documented and exported. */
  readonly columns: Readonly<Record<string, Column>>;
}

/** Its types are those of its columns; the compiler checks the key. */
export const table = <
  const Name extends string,
  const Key extends string,
  const Of extends Readers,
  Columns extends DeclaredTable['columns'],
>(declaration: {
  readonly name: Name;
  readonly key: readonly (Key & keyof Columns)[];
  readonly readable: Of;
  readonly fast?: readonly (keyof Columns & string)[];
  readonly about: string;
  readonly columns: Columns;
}) => declaration;

export const isRequired = ({ key, columns }: DeclaredTable, name: string): boolean =>
  key.includes(name) || columns[name]?.required === true;

type RequiredOf<Table extends DeclaredTable> =
  | Table['key'][number]
  | {
      [Name in keyof Table['columns']]: Table['columns'][Name]['required'] extends true ? Name : never;
    }[keyof Table['columns']];

/** A row as the program uses it: decoded, null where a nullable column has no value. */
export type DeclaredRow<Table extends DeclaredTable> = {
  [Name in keyof Table['columns']]: ValueOf<Table['columns'][Name]> | NullIn<Table, Name>;
};
type ValueOf<Of> = Of extends Column<ColumnKind, infer Value> ? Value : never;
type NullIn<Table extends DeclaredTable, Name> = Name extends RequiredOf<Table> ? never : null;

/** A row as Kysely selects and compares it: in the form of the engine. */
export type StoredRowOf<Table extends DeclaredTable> = {
  [Name in keyof Table['columns']]: StoredValueOf<Table['columns'][Name]> | NullIn<Table, Name>;
};
type StoredValueOf<Of extends Column> = Of['kind'] extends 'json' | 'flag' ? StoredAs<Of['kind']> : ValueOf<Of>;

/** The columns that the program reads and writes, by kind. */
export interface ShapeOf<Table extends DeclaredTable> extends TableShape {
  readonly key: Table['key'];
  readonly columns: { readonly [Name in keyof Table['columns'] & string]: Table['columns'][Name]['kind'] };
}

export function shapeOf<Table extends DeclaredTable>(declared: Table): ShapeOf<Table> {
  const columns = Object.entries(declared.columns);
  return {
    key: declared.key,
    required: columns.flatMap(([name]) => (isRequired(declared, name) ? [name] : [])),
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the kind of each column
    columns: Object.fromEntries(columns.map(([name, { kind }]) => [name, kind])) as ShapeOf<Table>['columns'],
  };
}

const valueSchemas: Readonly<Record<ColumnKind, z.ZodType>> = {
  text: z.string(),
  time: instant,
  date: z.iso.date(),
  json: z.json(),
  flag: z.boolean(),
  integer: z.int(),
  number: z.number(),
};

/** The schema of a row as JSON. That of another version may lack columns, which are null then, and have others, which are left out. */
export function recordOf<Table extends DeclaredTable>(declared: Table) {
  const schemas = Object.entries(declared.columns).map(([name, { kind }]) => {
    const schema = valueSchemas[kind];
    return [name, isRequired(declared, name) ? schema : schema.nullable().default(null)];
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- built from the columns that `DeclaredRow` reads
  return z.object(Object.fromEntries(schemas)) as z.ZodObject<{
    [Name in keyof DeclaredRow<Table> & string]: z.ZodType<DeclaredRow<Table>[Name]>;
  }>;
}
