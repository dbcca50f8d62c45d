// Day two: people change custom fields and users at the service. A running product finds out by itself, and an analyst's view goes on working.
import { sql } from 'kysely';
import { describe, expect, inject, it } from 'vitest';
import { openStore } from '#src/store/open-store.ts';
import { freePort, until } from '../../harness/ports.ts';
import { openHome } from '../../harness/product.ts';
import { openTestSandbox } from '../../harness/sandbox.ts';
import { blankPostgres } from '../../harness/stores.ts';

interface Definition {
  readonly uri: string;
  readonly label: string;
}

// What views do on SQLite: refresh-views.engines.test.ts.
describe.runIf(inject('postgresUrl') !== '')('custom fields that change', () => {
  it('get their columns while the product runs, beneath a view of its user', async () => {
    await using sandbox = await openTestSandbox({ contacts: 5, bookings: 1, rateLimits: false });
    await using place = await blankPostgres();
    const port = String(await freePort());
    await using home = await openHome({
      DATABASE_URL: place.url,
      PORT: port,
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      API_BASE_URL: sandbox.handles.base_url,
      API_TOKEN: sandbox.handles.tokens.owner,
      RECONCILE_EVERY: '1s',
    });
    const product = await home.open('start');
    for (const verb of ['bootstrap', 'backfill']) expect((await home.run([verb])).code).toBe(0);

    await using store = await openStore({ report: () => {} }, place.url);
    await sql`create view my_notes as select notes, count(*) as people from contacts_wide group by notes`.execute(
      store.db,
    );
    const ask = async (text: string) => (await sql.raw<Record<string, unknown>>(text).execute(store.db)).rows;
    const labels = () => ask('select column_name, label from contacts_wide_columns order by position');
    const fieldsAtStart = await labels();

    const { collection } = (await sandbox.call('GET', '/contacts/custom_field_definitions')).body;
    const notes = (collection as Definition[]).find(({ label }) => label === 'Notes')?.uri ?? '';
    await sandbox.control('PATCH', '/custom_fields', { uri: notes, label: 'Account notes' });
    const added = await sandbox.control('POST', '/custom_fields', { label: 'Churn risk', field_type: 'number' });
    await sandbox.control('PATCH', '/users', { uri: sandbox.handles.users.member, name: 'Ada Byron' });
    const { uri: risk } = added.body.resource;
    const [{ uri: contact }] = (await sandbox.call('GET', '/contacts')).body.collection;
    const custom_fields = [
      { uri: notes, value: 'Call back' },
      { uri: risk, value: 7 },
    ];
    await sandbox.call('PATCH', contact, { body: { custom_fields } });

    const wide = `select notes, churn_risk from contacts_wide where uri = '${contact}'`;
    const isThere = async () => JSON.stringify(await ask(wide).catch(() => []));
    await until(
      async () => (await isThere()).includes('Call back') && (await isThere()).includes('7'),
      'the new column',
    );
    expect(await ask(wide)).toEqual([{ notes: 'Call back', churn_risk: 7 }]);
    expect(await labels()).toEqual([
      ...fieldsAtStart.map((column) => (column['label'] === 'Notes' ? { ...column, label: 'Account notes' } : column)),
      { column_name: 'churn_risk', label: 'Churn risk' },
    ]);
    expect(await ask("select people from my_notes where notes = 'Call back'")).toEqual([{ people: 1 }]);
    const host = `select name from users where uri = '${sandbox.handles.users.member}'`;
    await until(async () => (await ask(host))[0]?.['name'] === 'Ada Byron', 'the new name of the user');

    // Every contact lists the new field, and no webhook said so: that is no drift.
    await until(
      async () =>
        (await ask("select 1 as found from contacts where cast(custom_fields as text) not like '%Churn risk%'"))
          .length === 0,
      'every contact lists the new field',
    );
    await until(() => /"job":"reconcile".*"repaired":\d/.test(product.output()), 'the end of a comparison');
    expect(product.output()).not.toMatch(/"repaired":\d\d/);

    // A type changes: PostgreSQL cannot follow while the view depends on it, and says which view that is.
    await sandbox.control('PATCH', '/custom_fields', { uri: notes, field_type: 'number' });
    const type = `select field_type from custom_field_definitions where uri = '${notes}'`;
    await until(async () => (await ask(type))[0]?.['field_type'] === 'number', 'the new type');
    const findings = (await home.run(['doctor'])).out;
    expect(findings).toContain(
      '! views: The view contacts_wide needs other columns, or columns of another type, which these views prevent: my_notes.',
    );
    await until(
      () => product.output().includes('which these views prevent: my_notes'),
      'the running process reports it',
    );
    // Not every command repeats it.
    expect((await home.run(['status'])).err).toBe('');
    expect(await ask('select count(*) as n from my_notes where people > 0')).not.toEqual([{ n: 0 }]);

    await sandbox.control('DELETE', '/custom_fields', { uri: risk });
    await sandbox.control('DELETE', '/users', { uri: sandbox.handles.users.member });
    const deleted = (table: string) => ask(`select uri from ${table} where deleted_at is not null`);
    await until(async () => (await deleted('custom_field_definitions')).length === 1, 'the deleted field');
    await until(async () => (await deleted('organization_memberships')).length === 1, 'the deleted membership');
    expect(await ask(host)).toEqual([{ name: 'Ada Byron' }]);
    await until(async () => (await ask(wide))[0]?.['churn_risk'] === null, 'a column without values');
  });
});
