// The views of lists show what is a list of records, in the same way on both engines, and no stored value makes a query fail.
import { sql } from 'kysely';
import { describe, expect } from 'vitest';
import type { Json } from '#src/store/columns.ts';
import { writeRows } from '#src/store/rows.ts';
import { viewRows } from '../../../harness/mirror/view-rows.ts';
import { readDefinitions } from '../../../harness/data/custom-fields.ts';
import { rowsOf, availableEngines, testWith } from '../../../harness/stores.ts';

const hostile = `https://f/"\\';--`;
const long = `https://f/${'x'.repeat(3_000)}`;
const noLists: readonly Json[] = [
  null,
  'text',
  '[',
  5,
  true,
  {},
  { uri: 'https://f/1' },
  { 0: { uri: 'https://f/1' } },
  [],
];
const noRecords: readonly Json[] = [null, 'text', '{', 0, 1.5, false, [], [{ uri: 'https://f/1' }], {}];

describe.each(availableEngines)('the views of lists on $name', ({ fresh }) => {
  const it = testWith(fresh);

  it('leave out custom fields that have no URI, and take the last of those with the same', async ({ store }) => {
    const field = (uri: Json, value: Json) => ({ uri, label: 'Label', value });
    const odd = [
      ...noRecords,
      field(null, 1),
      field(5, 1),
      field(['https://f/1'], 1),
      { uri: 'https://f/bare' },
      { ...field('https://f/odd', [1, { a: null }]), label: 7 },
      field('https://f/1', 'first'),
      field(hostile, '"quoted" \\ é'),
      field(long, 9_007_199_254_740_991),
      field('https://f/1', 'last'),
      field('https://f/2', 'first'),
      field('https://f/2', null),
    ];
    await readDefinitions(
      store,
      ['https://f/1', 'https://f/2', hostile, 'https://f/odd'].map((uri, n) => ({
        uri,
        label: `Field ${n}`,
        field_type: n === 3 ? 'unknown' : 'text',
      })),
    );
    await store.refreshViews();
    const lists = [...noLists, odd];
    await store.transaction((unit) =>
      writeRows(
        unit,
        'contacts',
        lists.map((custom_fields, n) => ({ uri: `c/${n}`, custom_fields })),
      ),
    );
    const contact_uri = `c/${noLists.length}`;
    const expected = [
      { field_uri: hostile, label: 'Label', value: '"quoted" \\ é' },
      { field_uri: 'https://f/1', label: 'Label', value: 'last' },
      { field_uri: 'https://f/2', label: 'Label', value: null },
      { field_uri: 'https://f/bare', label: null, value: null },
      { field_uri: 'https://f/odd', label: null, value: [1, { a: null }] },
      { field_uri: long, label: 'Label', value: 9_007_199_254_740_991 },
    ];
    const rows = await rowsOf(store, 'contact_custom_fields');
    expect(rows).toHaveLength(expected.length);
    expect(rows).toEqual(expect.arrayContaining(expected.map((row) => ({ contact_uri, ...row }))));
    const wide = await viewRows(store, 'contacts_wide');
    expect(
      wide.map(({ uri, field_0, field_1, field_2, field_3 }) => [uri, field_0, field_1, field_2, field_3]),
    ).toEqual([
      // The contact whose only custom field is not in a list has none.
      ...noLists.map((_, n) => [`c/${n}`, null, null, null, null]),
      [contact_uri, 'last', null, '"quoted" \\ é', [1, { a: null }]],
    ]);
  });

  it('have a row for each item of a list of answers, with what it says as text', async ({ store }) => {
    const answer = (position: Json, text: Json) => ({ position, question_uuid: text, question: text, answer: text });
    const odd = [...noRecords, answer(3, 'é'), answer('3', 5), answer(1.5, null), answer(null, ['a'])];
    const rows = [...noLists, odd].map((questions_and_answers, n) => ({ uri: `u/${n}`, questions_and_answers }));
    await store.transaction(async (unit) => {
      await writeRows(unit, 'invitees', rows);
      await writeRows(unit, 'routing_form_submissions', rows);
    });
    const uri = `u/${noLists.length}`;
    const byItem = (a: { item?: Json }, b: { item?: Json }) => Number(a.item) - Number(b.item);
    const texts = odd.map((_, item) => (item === noRecords.length ? 'é' : null));
    expect((await rowsOf(store, 'invitee_answers')).toSorted(byItem)).toEqual(
      texts.map((text, item) => ({ invitee_uri: uri, item, position: text && 3, question: text, answer: text })),
    );
    expect((await rowsOf(store, 'routing_form_answers')).toSorted(byItem)).toEqual(
      texts.map((text, item) => ({ submission_uri: uri, item, question_uuid: text, question: text, answer: text })),
    );
  });

  it('find the items of given rows by the key of their table', async ({ opened }) => {
    const { db, engine } = opened.store;
    const query = sql`select value from ${sql.table('contact_emails')} join ${sql.table('contact_custom_fields')} using (contact_uri) where email = 'a'`;
    const plan = await db.connection().execute(async (one) => {
      if (engine.name === 'sqlite') return (await sql`explain query plan ${query}`.execute(one)).rows;
      // Else PostgreSQL scans a table that is so small.
      await sql`set enable_seqscan = off`.execute(one);
      return (await sql`explain ${query}`.execute(one)).rows;
    });
    expect(JSON.stringify(plan)).toMatch(/SEARCH contacts USING INDEX|Index Scan using contacts_pk on contacts/);
    expect(JSON.stringify(plan)).not.toMatch(/SCAN contacts|Seq Scan on contacts/);
  });
});
