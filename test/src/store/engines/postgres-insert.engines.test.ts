import fc from 'fast-check';
import { sql } from 'kysely';
import { describe, expect, inject } from 'vitest';
import { textArray } from '#src/store/engines/postgres-insert.ts';
import { runs } from '../../../harness/runs.ts';
import { freshPostgres, testWith, type TestStore } from '../../../harness/stores.ts';

const it = testWith(freshPostgres);

/** PostgreSQL stores no NUL. */
const text = fc.string({ unit: 'grapheme', maxLength: 40 }).map((value) => value.replaceAll('\0', ''));
const texts = fc.array(fc.option(text), { minLength: 1, maxLength: 20 });

/** Both arrays are sent with one statement, as the columns of a row are. */
async function asStored({ store }: TestStore, one: readonly (string | null)[], other: readonly (string | null)[]) {
  const { rows } = await sql<{ one: unknown; other: unknown }>`
    select to_jsonb(${textArray(one)}::text[]) as one, to_jsonb(${textArray(other)}::text[]) as other`.execute(
    store.db,
  );
  return rows[0];
}

describe.runIf(inject('postgresUrl'))('an array of texts for PostgreSQL', () => {
  it('arrives as it is, with another one in the same statement', async ({ opened }) => {
    await fc.assert(
      fc.asyncProperty(texts, texts, async (one, other) => {
        expect(await asStored(opened, one, other)).toEqual({ one, other });
      }),
      runs(100),
    );
  });

  it('arrives when it is longer than all before, or longer than what is held for the next', async ({ opened }) => {
    for (const length of [100, 100_000, 2_000_000, 10]) {
      const [one, other] = [
        ['a'.repeat(length), null, 'ü€😀'],
        ['b'.repeat(length - 5), '€'.repeat(length / 5)],
      ];
      expect(await asStored(opened, one, other)).toEqual({ one, other });
    }
  });
});
