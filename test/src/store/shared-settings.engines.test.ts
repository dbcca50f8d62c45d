// The settings that all processes of a mirror share: who writes them, whom they bind, and when a change takes effect.
import { sql } from 'kysely';
import { describe, expect } from 'vitest';
import { applySettings, openSettings, settleSettings } from '#src/store/settings-row.ts';
import type { StatedSettings } from '#src/store/shared-settings.ts';
import type { Store } from '#src/store/contract.ts';
import { requireStatedAccount, requireSameOrganization } from '#workers/sync/mirror-identity.ts';
import { ingestParsed } from '#workers/fold/pipeline/ingest.ts';
import { parseBatch } from '#workers/fold/pipeline/parse.ts';
import { privacyScreen } from '#workers/fold/privacy/screen.ts';
import { unredactedContacts } from '#src/store/unredacted-contacts.ts';
import { redactDeletedContacts } from '#workers/sync/redact-deleted-contacts.ts';
import { rebuild } from '#workers/sync/rebuild.ts';
import { contactDelivery, contactUri } from '../../harness/data/contact-deliveries.ts';
import { availableEngines, receivedAt, rowsOf, testWith } from '../../harness/stores.ts';

const followed = (store: Store) => ({ store, screen: privacyScreen(store.settings) });
const deletion = (id: string) =>
  JSON.stringify({
    event: 'contact.deleted',
    created_at: '2025-02-01T12:00:00.000000Z',
    payload: { uri: contactUri(id), deleted_at: '2025-02-01T12:00:00.000000Z' },
  });
const receive = (store: Store, ...bodies: readonly string[]) => {
  const deliveries = bodies.map((body) => ({ body, receivedAt }));
  return ingestParsed(followed(store), parseBatch({ v: 1, deliveries }, receivedAt));
};
const bodies = async (store: Store) => (await rowsOf(store, 'event_log')).map(({ body }) => String(body));

describe.each(availableEngines)('the settings of a mirror on $name', ({ fresh }) => {
  const it = testWith(fresh);

  it('are those of the environment until the first worker writes them; then they bind all (B5)', async ({
    opened,
    store,
  }) => {
    const stated: StatedSettings = { eraseOnDelete: false, retentionDays: 30, reportTimezone: 'Europe/Berlin' };
    const early = await openSettings(store, stated);
    expect(early).toMatchObject({ eraseOnDelete: false, retentionDays: 30, isSettled: false });
    expect(early.conflictsWith({ retentionDays: 1 })).toEqual([]);
    const others = await Promise.all([opened.openAnother(), opened.openAnother()]);
    const second = await openSettings(store, { eraseOnDelete: true, events: ['contact.created'] });
    const settled = [{ ...store, settings: early }, ...others.map((each) => ({ ...each, settings: second }))];
    await Promise.all(settled.map((each) => settleSettings(each, receivedAt)));
    const [first, ...later] = await Promise.all(
      [store, ...others].map((each) => openSettings(each, { retentionDays: 7 })),
    );
    for (const each of later) expect(each.texts).toEqual(first?.texts);
    expect(first?.retentionDays).not.toBe(7);
    expect(first?.conflictsWith({ retentionDays: 7 }, ['retentionDays', 'events'])).toEqual([
      { variable: 'RETENTION_DAYS', here: '7', mirror: first?.texts.retentionDays },
    ]);
    expect(first?.conflictsWith({})).toEqual([]);
  });

  it('are changed by apply alone, and keep what is not stated', async ({ store }) => {
    const { settings } = store;
    await applySettings(store, { retentionDays: 90, events: ['contact.created', 'contact.deleted'] }, receivedAt);
    const { revision } = settings;
    await applySettings(store, { reportTimezone: 'Asia/Tokyo' }, receivedAt);
    expect(settings.revision).toBe(revision + 1);
    expect((await openSettings(store)).texts).toEqual({
      eraseOnDelete: 'true',
      retentionDays: '90',
      events: 'contact.created,contact.deleted',
      reportTimezone: 'Asia/Tokyo',
      currencyFields: 'minor',
    });
    await applySettings(store, { retentionDays: 0 }, receivedAt);
    expect((await openSettings(store, { retentionDays: 3 })).retentionDays).toBe(0);
  });

  it('bind the next transaction of every process that folds, before it reads them again', async ({ opened, store }) => {
    const worker = await opened.openAnother();
    await applySettings(store, { eraseOnDelete: false }, receivedAt);
    await receive(worker, contactDelivery({ id: 'a', version: 0 }), deletion('a'));
    expect((await bodies(store)).filter((body) => body.includes('Name a'))).toHaveLength(1);
    await applySettings(store, { eraseOnDelete: true }, receivedAt);
    await receive(worker, contactDelivery({ id: 'b', version: 0 }), deletion('b'));
    expect((await bodies(store)).filter((body) => body.includes('Name b'))).toEqual([]);
    expect(worker.settings.eraseOnDelete).toBe(true);
  });

  it('let contacts that were deleted while erasing was off be found and redacted afterwards', async ({ store }) => {
    await applySettings(store, { eraseOnDelete: false }, receivedAt);
    await receive(store, ...['a', 'b'].map((id) => contactDelivery({ id, version: 0 })), deletion('a'));
    expect(await redactDeletedContacts(followed(store))).toBe(0);
    await applySettings(store, { eraseOnDelete: true }, receivedAt);
    expect(await unredactedContacts(store)).toEqual([contactUri('a')]);
    expect(await redactDeletedContacts(followed(store))).toBe(1);
    expect(await unredactedContacts(store)).toEqual([]);
    expect((await bodies(store)).join()).not.toContain('Name a');
    expect((await bodies(store)).join()).toContain('Name b');
    const a = (await rowsOf(store, 'contacts')).find(({ uri }) => uri === contactUri('a'));
    expect(a).toMatchObject({ name: null, emails: null });
    expect(await rebuild(followed(store))).toMatchObject({ rowsDiffered: 0 });
  });

  it('name the account: another organization or group is another mirror', async ({ store }) => {
    const origin = 'https://api.example.test';
    const organization = `${origin}/organizations/1`;
    const environment = { organizationUri: undefined, groupUri: undefined };
    await requireStatedAccount(store, { ...environment, organizationUri: `${origin}/organizations/2` });
    await requireSameOrganization(store, { origin, organization }, { claims: true });
    await requireSameOrganization(store, { origin, organization, owner: `${origin}/groups/1` }, { claims: true });
    await requireStatedAccount(store, { organizationUri: organization, groupUri: `${origin}/groups/1` });
    await requireStatedAccount(store, environment);
    const refused = { code: 'other_organization', hint: expect.stringContaining('DATABASE_URL') as string };
    for (const other of [{ organizationUri: `${origin}/organizations/2` }, { groupUri: `${origin}/groups/2` }])
      await expect(requireStatedAccount(store, { ...environment, ...other })).rejects.toMatchObject(refused);
    for (const owner of [organization, `${origin}/groups/2`])
      await expect(
        requireSameOrganization(store, { origin, organization, owner }, { claims: true }),
      ).rejects.toMatchObject(refused);
  });

  it('stop a program that is older than the schema before it writes (B7)', async ({ store }) => {
    await receive(store, contactDelivery({ id: 'a', version: 0 }));
    await sql`insert into ${sql.table('kysely_migration')} (name, timestamp) values ('9999-newer', '')`.execute(
      store.db,
    );
    const refused = { code: 'store_version', message: 'The database was made by a newer Slotstream than this one.' };
    await expect(receive(store, contactDelivery({ id: 'b', version: 0 }))).rejects.toMatchObject(refused);
    expect(await rowsOf(store, 'contacts')).toHaveLength(1);
    expect(await rowsOf(store, 'event_log')).toHaveLength(1);
  });
});
