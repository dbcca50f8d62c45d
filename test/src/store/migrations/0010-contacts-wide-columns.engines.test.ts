// A database from before the columns of `contacts_wide` were stored keeps the columns that its view has, whatever the labels are by now.
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { openStore } from '#src/store/open-store.ts';
import { readFieldColumns } from '#src/store/views/views.ts';
import { contactBody, fieldUri } from '../../../harness/data/custom-fields.ts';
import { migratedTo } from '../../../harness/mirror/former-database.ts';
import { viewRows } from '../../../harness/mirror/view-rows.ts';
import { ingestBodies, storeEngines } from '../../../harness/stores.ts';

const hostile = fieldUri(`2';"\\--`);
const created_at = '2025-01-01T00:00:00.000000Z';

const own =
  'uri name primary_email emails phone_numbers timezone job_title company country state city linkedin creation_source first_email_date last_email_date next_meeting_date last_meeting_date last_interaction_date created_at updated_at'.split(
    ' ',
  );

/** The view was made when the labels were "Notes" and "Seats"; a label was changed and a field was added since. */
async function makePrevious(url: string): Promise<void> {
  await using engine = await migratedTo(url, '0008-contact-search-table');
  const { db, dialect, views } = engine;
  await db
    .insertInto('custom_field_definitions')
    .values([
      { uri: fieldUri(1), label: 'Account notes', field_type: 'text', created_at },
      { uri: hostile, label: 'Seats', field_type: 'number', created_at },
      { uri: fieldUri(3), label: 'Churn risk', field_type: 'text', created_at },
    ] as never)
    .execute();
  const value = (alias: string) => sql.id(alias, 'value');
  const from = (alias: string, uri: string) => sql`left join contact_custom_fields as ${sql.id(alias)}
    on ${sql.id(alias, 'contact_uri')} = contacts.uri and ${sql.id(alias, 'field_uri')} = ${sql.lit(uri)}`;
  const select = sql`select ${sql.join(own.map((column) => sql.id('contacts', column)))},
      ${dialect.custom.text(value('field_0'))} as notes, ${dialect.custom.number(value('field_1'))} as seats
    from contacts ${from('field_0', fieldUri(1))} ${from('field_1', hostile)} where contacts.deleted_at is null`;
  await views.create(db, { name: 'contacts_wide', about: 'Contacts.', columns: {}, select });
}

describe.each(storeEngines)('the columns of contacts_wide in a former database on $name', ({ available, blank }) => {
  it.runIf(available)('keep their names and order; a field that had none gets one at the end', async () => {
    await using place = await blank();
    await makePrevious(place.url);
    const problems: unknown[] = [];
    await using store = await openStore({ report: (problem) => problems.push(problem) }, place.url);
    expect(problems).toEqual([]);
    expect(await readFieldColumns(store)).toEqual([
      { field_uri: fieldUri(1), column_name: 'notes', position: 0, label: 'Account notes', field_type: 'text' },
      { field_uri: hostile, column_name: 'seats', position: 1, label: 'Seats', field_type: 'number' },
      { field_uri: fieldUri(3), column_name: 'churn_risk', position: 2, label: 'Churn risk', field_type: 'text' },
    ]);
    await ingestBodies(store, [contactBody(1, { [fieldUri(1)]: 'a', [hostile]: 2, [fieldUri(3)]: 'high' })]);
    expect(await viewRows(store, 'contacts_wide')).toMatchObject([{ notes: 'a', seats: 2, churn_risk: 'high' }]);
  });
});
