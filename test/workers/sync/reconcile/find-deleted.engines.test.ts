// What reconcile must not delete: rows of which nothing but a confirmed 404 of the right service, asked as the right one, tells.
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { RecordKind } from '#schemas/records.ts';
import { deleteContact } from '#src/sandbox/world/contacts/contacts.ts';
import type { StoredColumns } from '#src/store/columns.ts';
import { rebuild } from '#workers/sync/rebuild.ts';
import { sweepSlice } from '#workers/sync/reconcile/sweep.ts';
import { ingestRecords } from '#workers/sync/records.ts';
import { privacyScreen } from '#workers/fold/privacy/screen.ts';
import { bearer } from '../../../harness/mirror/api-app.ts';
import { readMirror } from '../../../harness/mirror/read-api.ts';
import { openTestBackfill } from '../../../harness/mirror/test-backfill.ts';
import { allKinds, openTestReconcile, type TestReconcile } from '../../../harness/mirror/test-reconcile.ts';
import { openedOnce } from '../../../harness/opened.ts';
import { inForms } from '../../../harness/sandbox.ts';
import { freshSqlite, oneEngine, rowsOf } from '../../../harness/stores.ts';

const long = '2026-01-01T00:00:00.000000Z';

function contactsOf({ sandbox }: TestReconcile) {
  return [...(sandbox.service.state.contacts.get(sandbox.handles.organization)?.values() ?? [])];
}

const deletedOf = async ({ store }: TestReconcile): Promise<number> =>
  (await rowsOf(store, 'contacts')).filter((row) => row['deleted_at'] !== null).length;

/** A row that no listing shows. */
async function keepAlso(
  { store }: TestReconcile,
  kind: RecordKind,
  { record, observed = long }: { readonly record: object; readonly observed?: string },
): Promise<void> {
  const given = { kind, record: JSON.parse(JSON.stringify(record)), observed };
  await ingestRecords({ store, screen: privacyScreen({ eraseOnDelete: true }) }, [given], {
    source: 'reconcile',
    now: long,
  });
}

describe('reconcile', { shuffle: false }, () => {
  const mirrored = openedOnce(async () => {
    const opened = await openTestReconcile(freshSqlite, { contacts: 20, bookings: 10 });
    // Who only looks claims no mirror.
    await opened.run({ token: opened.sandbox.handles.tokens.enterprise });
    await opened.run({ repair: true });
    return opened;
  });

  it('is refused with the token of another organization before anything is read, whichever way it is started', async () => {
    const { organization } = mirrored.sandbox.handles;
    const token = mirrored.sandbox.handles.tokens.enterprise;
    const refusal = { code: 'other_organization', message: expect.stringContaining(organization) as string };
    for (const scope of [{ kind: 'full' }, { kind: 'recent' }, { kind: 'gap', since: long }] as const)
      for (const repair of [true, false])
        await expect(mirrored.run({ repair, scope, token, allowDeletes: true })).rejects.toMatchObject(refusal);
    const { sources, ...needs } = await mirrored.needs();
    const others = { ...sources, organization: `${organization}x` };
    const input = { everyMs: 1, events: allKinds };
    await expect(sweepSlice({ ...needs, sources: others }, input)).rejects.toMatchObject(refusal);
    expect(await deletedOf(mirrored)).toBe(0);

    await using filling = await openTestBackfill(freshSqlite, {}, mirrored.sandbox);
    await filling.run({ only: ['contacts'] });
    await expect(filling.run({ only: ['contacts'], token })).rejects.toMatchObject({ code: 'other_organization' });
    expect(await rowsOf(filling.store, 'contacts')).toHaveLength(contactsOf(mirrored).length);
  });

  it('holds deletes back when half of the rows would go, however few there are', async () => {
    const all = contactsOf(mirrored);
    const half = Math.ceil(all.length / 2);
    for (const contact of all.slice(0, half)) deleteContact(mirrored.sandbox.service, contact);
    const { report } = await mirrored.run({ repair: true });
    expect(report.heldBack).toEqual([{ kind: 'contact', deleted: half, of: all.length }]);
    expect(await deletedOf(mirrored)).toBe(0);
    await mirrored.run({ repair: true, allowDeletes: true });
    expect(await deletedOf(mirrored)).toBe(half);
  });

  it('does not judge a row that comes while a listing is read by that listing', async () => {
    const [first] = contactsOf(mirrored);
    const uri = `${mirrored.sandbox.handles.base_url}/contacts/00000000-0000-4000-8000-000000000001`;
    const delivering: typeof fetch = async (input, init) => {
      const record = { ...first, uri };
      if (/\/contacts\?/.test(String(input)))
        await keepAlso(mirrored, 'contact', { record, observed: '2999-01-01T00:00:00.000000Z' });
      return mirrored.sandbox.fetch(input, init);
    };
    for (const scope of [{ kind: 'full' }, { kind: 'gap', since: long }] as const)
      expect((await mirrored.run({ repair: true, scope, fetch: delivering })).lines).toEqual([]);
  });

  it('deletes nothing for a 404 that is not the service’s own, and reports it', async () => {
    const [first] = contactsOf(mirrored);
    if (first === undefined) throw new Error('no contact');
    const before = await deletedOf(mirrored);
    deleteContact(mirrored.sandbox.service, first);
    const proxied: typeof fetch = async (input, init) =>
      String(input) === first.uri
        ? new Response('<h1>Not found</h1>', { status: 404, headers: { 'content-type': 'text/html' } })
        : mirrored.sandbox.fetch(input, init);
    const { report, lines } = await mirrored.run({ repair: true, fetch: proxied });
    expect(lines).toEqual([]);
    expect(report.unreadable).toMatchObject([{ what: '1 deletes of contact' }]);
    expect(await deletedOf(mirrored)).toBe(before);
    expect((await mirrored.run({ repair: true })).lines).toEqual([`extra contact ${first.uri}`]);
  });

  it('leaves a row of another service and a recap of an unknown user alone, counts them, and compares the rest', async () => {
    const [first, gone] = contactsOf(mirrored);
    const { base_url } = mirrored.sandbox.handles;
    if (first === undefined || gone === undefined) throw new Error('nothing to keep');
    await keepAlso(mirrored, 'contact', { record: { ...first, uri: 'https://api.scheduling.test/contacts/1' } });
    const uri = `${base_url}/meeting_recaps/00000000-0000-4000-8000-000000000001`;
    await keepAlso(mirrored, 'meeting_recap', { record: { uri, name: 'Intake', user: null } });
    deleteContact(mirrored.sandbox.service, gone);
    const before = await deletedOf(mirrored);
    const { report, lines } = await mirrored.run({ repair: true });
    expect(lines).toEqual([`extra contact ${gone.uri}`]);
    expect([report.notCompared, await deletedOf(mirrored)]).toEqual([2, before + 1]);
  });
});

describe.each(inForms(oneEngine))('what only lists show, the service as $as,', ({ fresh, as }) => {
  it('is deleted once the service no longer has it, and exists again with it', async () => {
    await using mirrored = await openTestReconcile(fresh, { as, contacts: 10, bookings: 5 });
    const { sandbox, store } = mirrored;
    const { state } = sandbox.service;
    // Answers have the time of a second: of two records of the same one either may count.
    const wait = () => sandbox.control('POST', '/clock', { advance: '10s' });
    await mirrored.run({ repair: true });
    const [field, kept] = state.definitions.of('organization', sandbox.handles.organization);
    const [form] = state.routingForms.values();
    const { member } = sandbox.handles.users;
    const [membership] = state.memberships.of('user', member);
    if (!field || !kept || !form || !membership) throw new Error('nothing to delete');
    await sandbox.control('DELETE', '/custom_fields', { uri: field.uri });
    await sandbox.control('DELETE', '/routing_forms', { uri: form.uri });
    await sandbox.control('DELETE', '/users', { uri: member });
    await wait();
    const extra = [
      `extra custom_field_definition ${field.uri}`,
      `extra organization_membership ${membership.uri}`,
      `extra routing_form ${form.uri}`,
    ];
    const deleted = async () => {
      const tables = ['custom_field_definitions', 'organization_memberships', 'routing_forms', 'users'] as const;
      const rows = await Promise.all(tables.map((table) => rowsOf(store, table)));
      return rows.flat().flatMap(({ uri, deleted_at: at = null }) => (at === null ? [] : uri));
    };
    await using reader = await readMirror(store);
    const get = (path: string) => reader.get(path, bearer);
    const definitions = async () =>
      (await get('/api/contacts/custom_field_definitions')).body.collection.map(({ uri }: { uri: string }) => uri);
    const path = field.uri.slice(field.uri.indexOf('/contacts/'));

    const owner = { path: '/contacts/custom_field_definitions', status: 403, body: {} };
    await sandbox.control('POST', '/faults', { answers: [owner] });
    expect((await mirrored.run()).lines).toEqual(expect.not.arrayContaining([extra[0]]));
    await sandbox.control('POST', '/faults', {});
    expect((await mirrored.run()).lines).toEqual(expect.arrayContaining(extra));
    expect(await deleted()).toEqual([]);
    await wait();
    expect((await mirrored.run({ repair: true })).lines).toEqual(expect.arrayContaining(extra));
    expect(await deleted()).toEqual([field.uri, membership.uri, form.uri]);
    expect((await mirrored.run()).lines).toEqual([]);

    expect(await definitions()).not.toContain(field.uri);
    expect((await get(`/api${path}`)).status).toBe(404);
    const [contact] = (await get('/api/contacts')).body.collection;
    const shown = contact.custom_fields.map(({ uri }: { uri: string }) => uri);
    expect([shown.includes(field.uri), shown.includes(kept.uri)]).toEqual([false, true]);
    const { rows } =
      await sql<StoredColumns>`select count(*) as n, count(segment) as known from ${sql.table('contacts_wide')}`.execute(
        store.db,
      );
    expect(rows.map(({ n, known }) => [Number(n), Number(known)])).toEqual([[10, 0]]);

    state.definitions.put(field);
    state.memberships.put(membership);
    state.routingForms.put(form);
    await wait();
    await mirrored.run({ repair: true });
    expect(await deleted()).toEqual([]);
    expect(await definitions()).toContain(field.uri);
    expect((await get(`/api${path}`)).status).toBe(200);

    await sandbox.control('DELETE', '/routing_forms', { uri: form.uri });
    await wait();
    await mirrored.run({ repair: true });
    expect(await deleted()).toEqual([form.uri]);
    const screen = privacyScreen({ eraseOnDelete: true });
    expect(await rebuild({ store, screen })).toMatchObject({ rowsDiffered: 0 });
  });
});
