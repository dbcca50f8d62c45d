import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import { expect, it } from 'vitest';
import { commentOnColumns } from '#src/store/engines/postgres-comments.ts';

const db = new Kysely<Record<string, never>>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (from) => new PostgresIntrospector(from),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});
const commentOf = (about: string) => commentOnColumns('v', { c: about })[0]?.compile(db).sql;

it('a comment has the text of a link without its address', () => {
  expect(commentOf('see [the [table](tables.md#t) of it')).toBe(`comment on column "v"."c" is 'see [the table of it'`);
});

it.each(['[', '[a]('])('a comment about a label of nothing but %s is cut', (part) => {
  expect(commentOf(part.repeat(200_000))?.length).toBeLessThan(1_100);
});
