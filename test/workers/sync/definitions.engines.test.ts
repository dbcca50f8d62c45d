// Day two: people change custom fields and users at the service, which sends no webhook about them. Their lists are read often.
import { sql } from 'kysely';
import { describe, expect, inject, it } from 'vitest';
import { openStore } from '#src/store/open-store.ts';
import { readDefinitions } from '#workers/sync/definitions.ts';
import { fieldUri, readDefinitions as ingestDefinitions } from '../../harness/data/custom-fields.ts';
import { allKinds, openTestReconcile } from '../../harness/mirror/test-reconcile.ts';
import { until } from '../../harness/ports.ts';
import { openHome } from '../../harness/product.ts';
import { blankPostgres, oneEngine, rowsOf } from '../../harness/stores.ts';

describe.each(oneEngine)('lists that change without a webhook, on $name,', ({ fresh }) => {
  it('are read: fields and users that are new, changed or gone', async () => {
    await using world = await openTestReconcile(fresh, { contacts: 1, bookings: 1 });
    const { sandbox, store } = world;
    await world.run({ repair: true });
    const member = { uri: sandbox.handles.users.member };
    const [field, gone] = await rowsOf(store, 'custom_field_definitions');
    await sandbox.control('PATCH', '/custom_fields', { uri: field?.['uri'], label: 'Account notes' });
    await sandbox.control('DELETE', '/custom_fields', { uri: gone?.['uri'] });
    await sandbox.control('POST', '/custom_fields', { label: 'Churn risk', field_type: 'number' });
    await sandbox.control('PATCH', '/users', { ...member, name: 'Ada Byron' });
    const read = async () => readDefinitions(await world.needs(), allKinds);
    expect((await read()).unreadable).toEqual([]);
    const columns = (await rowsOf(store, 'contacts_wide_columns')).map((row) =>
      [row['column_name'], row['label']].join(),
    );
    expect(columns).toContain('churn_risk,Churn risk');
    expect(columns.join(' ')).toContain('Account notes');
    const deletedIn = async (table: 'custom_field_definitions' | 'organization_memberships') =>
      (await rowsOf(store, table)).filter((row) => row['deleted_at'] !== null).length;
    expect([await deletedIn('custom_field_definitions'), await deletedIn('organization_memberships')]).toEqual([1, 0]);
    const user = async () => (await rowsOf(store, 'users')).find(({ uri }) => uri === member.uri);
    expect(await user()).toMatchObject({ name: 'Ada Byron' });

    await sandbox.control('DELETE', '/users', member);
    await read();
    expect(await deletedIn('organization_memberships')).toBe(1);
    expect(await user()).toMatchObject({ name: 'Ada Byron' });
  });
});

describe.runIf(inject('postgresUrl') !== '')('a view of a user that prevents ours', () => {
  it('is reported by doctor, with the command to run, and by the process that runs, and not by every command', async () => {
    await using place = await blankPostgres();
    await using store = await openStore({ report: () => {} }, place.url);
    const field = { uri: fieldUri(1), label: 'Notes', field_type: 'text' };
    await ingestDefinitions(store, [field]);
    await sql`create view my_notes as select notes from ${sql.table('contacts_wide')}`.execute(store.db);
    await ingestDefinitions(store, [{ ...field, field_type: 'number', updated_at: '2025-02-01T00:00:00.000000Z' }]);
    await using home = await openHome({ DATABASE_URL: place.url });
    const sentence = 'The view contacts_wide is out of date and could not be replaced (2BP01).';
    const { out } = await home.run(['doctor']);
    expect(out).toContain(`! views: ${sentence}`);
    expect(out).toContain('Run: drop view slotstream.contacts_wide cascade;');
    expect((await home.run(['status'])).err).toBe('');
    const product = await home.open('start');
    await until(() => product.output().includes(sentence), 'the running process reports it');
  });
});
