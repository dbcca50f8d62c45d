import { expect, it } from 'vitest';
import { schemaIn, withSchema } from '#src/base/database-schema.ts';

it.each([
  ['postgres://db/crm', 'postgres://db/crm?schema=mirror'],
  ['postgresql://db/crm?sslmode=require', 'postgresql://db/crm?sslmode=require&schema=mirror'],
])('a schema is a parameter of %s', (url, address) => {
  expect(withSchema(url, 'mirror')).toBe(address);
  expect([schemaIn(address), schemaIn(url)]).toEqual(['mirror', undefined]);
});

it('no other address has one, and none is added where none is set', () => {
  expect(withSchema('sqlite:a.db', 'mirror')).toBe('sqlite:a.db');
  expect(withSchema('redis://db', 'mirror')).toBe('redis://db');
  expect(withSchema('postgres://db/crm', undefined)).toBe('postgres://db/crm');
});
