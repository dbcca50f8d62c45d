// What a rules file may ask of a contact's fields: equal, or one of several; text whatever its letter case.
import { z } from 'zod';
import type { KnownContact } from './rule.ts';

const scalar = z.union([z.string(), z.number(), z.boolean()]);

/** One value, or several of which any will do. */
export const fieldValue = z.union([scalar, z.array(scalar).min(1)]);
export type FieldValue = z.output<typeof fieldValue>;

export function matchesField({ row, fields }: KnownContact, name: string, wanted: FieldValue): boolean {
  const own = Object.hasOwn(row, name) ? row[name as keyof typeof row] : undefined;
  const value = own ?? fields.get(name);
  // Tags are a list: one of them is enough.
  const values = Array.isArray(value) ? value : [value];
  return (Array.isArray(wanted) ? wanted : [wanted]).some((one) => values.some((each) => isSame(each, one)));
}

export function isSame(value: unknown, wanted: string | number | boolean): boolean {
  if (typeof value === 'string' && typeof wanted === 'string') return value.toLowerCase() === wanted.toLowerCase();
  return value === wanted;
}
