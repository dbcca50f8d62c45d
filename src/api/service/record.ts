// A record of the service, made from a row: which column holds which field is in the declaration of the table, and what no column holds is
// in `extra`.
import { z } from 'zod';
import { isObject } from '#schemas/wire.ts';
import type { DeclaredTable } from '#src/store/schema/declaration.ts';
import type { StoredRow } from '#src/store/rows.ts';

/** The fields that the service's record has. */
export type Fields = z.ZodObject;

/** What is sent: these fields, any of which a row may lack, and others that the service sent. */
export const recordSchema = ({ shape }: Fields): z.ZodObject =>
  z.looseObject(
    Object.fromEntries(
      Object.entries(shape).map(([name, schema]) => [
        name,
        schema instanceof z.ZodType ? schema.nullish() : z.unknown(),
      ]),
    ),
  );

/** Answers the function that makes the record of a row, with these fields and all others that the service sent. */
export function recordsOf(table: DeclaredTable, fields: Fields): (row: StoredRow) => Record<string, unknown> {
  const known = Object.entries(fields.shape).map(([name, schema]) => ({
    name,
    column: columnOf(table, name),
    isOptional: isOptional(schema),
  }));
  const names = new Set([...known.map(({ name }) => name), ...wholesOf(table)]);
  return (row) => {
    const extra = isObject(row['extra']) ? row['extra'] : {};
    const record: Record<string, unknown> = {};
    for (const { name, column, isOptional: isLeftOut } of known) {
      // A value of an unexpected type left its column as it was, and is in `extra`.
      const value = (column === undefined ? undefined : row[column]) ?? extra[name] ?? null;
      if (value !== null || !isLeftOut) record[name] = value;
    }
    for (const [name, value] of Object.entries(extra)) if (!names.has(name)) record[name] = value;
    return record;
  };
}

/** The column with the whole field; else with the URI of what the field is; else the part of this name of a field that is spread. */
function columnOf({ columns }: DeclaredTable, field: string): string | undefined {
  const all = Object.entries(columns).map(([name, { sentAs }]) => ({ name, sentAs: sentAs ?? name }));
  const tests: readonly ((sentAs: string) => boolean)[] = [
    (sentAs) => sentAs === field,
    (sentAs) => sentAs === `${field}.uri`,
    (sentAs) => sentAs.endsWith(`.${field}`),
  ];
  for (const test of tests) {
    const found = all.find(({ sentAs }) => test(sentAs));
    if (found !== undefined) return found.name;
  }
  return undefined;
}

/** Fields of which columns hold parts, and `extra` the rest. */
const wholesOf = ({ columns }: DeclaredTable): readonly string[] =>
  Object.values(columns).flatMap(({ sentAs }) => (sentAs?.includes('.') ? [sentAs.slice(0, sentAs.indexOf('.'))] : []));

/** Left out of a record that has no value for it, instead of null. */
const isOptional = (schema: unknown): boolean => schema instanceof z.ZodType && schema.safeParse(undefined).success;
