// The tables and views as the API describes them, and the schemas of their rows.
import { z } from 'zod';
import { instant } from '#schemas/resources/values.ts';
import { json } from '#schemas/wire.ts';
import type { ColumnKind } from '#src/store/columns.ts';
import type { StoredRow } from '#src/store/rows.ts';
import { commonRelations, type Relation, type RelationColumn } from '#src/read/tables/relation.ts';

const kinds = ['text', 'time', 'date', 'json', 'flag', 'integer', 'number'] as const satisfies readonly ColumnKind[];

export const tableRecord = z
  .strictObject({
    name: z.string(),
    kind: z.enum(['table', 'view']),
    about: z.string(),
    key: z.array(z.string()).describe('The columns that identify a row, in the order of an address of one row.'),
    fast: z.array(z.string()).describe('The columns by which an index orders the rows.'),
    columns: z.array(
      z.strictObject({
        name: z.string(),
        kind: z.enum(kinds),
        about: z.string(),
        holds: z
          .enum(['person', 'text', 'plain'])
          .describe('Something of a person, text that people wrote, or neither.'),
        required: z.boolean().describe('Never null.'),
        joins: z.string().nullable().describe('`table.column` with the same value.'),
        one_of: z
          .array(z.string())
          .nullable()
          .describe('All values there are, besides null; null where there are others.'),
        admin: z.boolean().describe('The read-only token cannot read it.'),
      }),
    ),
  })
  .meta({ id: 'Table' });

export const describedRelation = (
  { name, isView, about, key, fast, columns }: Relation,
  isAdmin: boolean,
): z.output<typeof tableRecord> => ({
  name,
  kind: isView ? 'view' : 'table',
  about,
  key: [...key],
  fast: isView ? [...fast] : [...new Set([...fast, ...key.slice(0, 1)])],
  columns: Object.entries(columns).flatMap(([column, { isForAdmins, ...each }]) =>
    isForAdmins && !isAdmin
      ? []
      : [
          {
            name: column,
            kind: each.kind,
            about: each.about,
            holds: each.holds,
            required: each.isRequired,
            joins: each.joins ?? null,
            one_of: each.oneOf ? [...each.oneOf] : null,
            admin: isForAdmins,
          },
        ],
  ),
});

const values: Readonly<Record<ColumnKind, z.ZodType>> = {
  text: z.string(),
  time: instant,
  date: z.iso.date(),
  json: z.unknown(),
  flag: z.boolean(),
  integer: z.int(),
  number: z.number(),
};

function rowSchema({ about, columns }: Relation): z.ZodType {
  const fields = Object.entries(columns).map(([name, column]) => [name, valueSchema(column)]);
  // Of `select`, only some; `contacts_wide` has others besides.
  return z.looseObject(Object.fromEntries(fields)).partial().describe(about);
}

function valueSchema({ kind, isRequired, about }: RelationColumn): z.ZodType {
  const schema = kind === 'json' || isRequired ? values[kind] : values[kind].nullable();
  return schema.describe(about);
}

/** `BookingInviteesRow` of `booking_invitees`. */
const schemaName = (table: string): string =>
  `${table.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())}Row`;

/** Of every table and view, by their names in the documentation. */
export const rowSchemas: Readonly<Record<string, z.ZodType>> = Object.fromEntries(
  commonRelations().map((relation) => [schemaName(relation.name), rowSchema(relation)]),
);

/** A row of any of them, or of groups. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every value of a row is JSON
export const anyRow = z
  .union([...Object.values(rowSchemas), z.record(z.string(), json)])
  .describe(
    'A row of the table or view that the path names, with the columns that `select` names; or a group of them.',
  ) as unknown as z.ZodType<StoredRow>;
