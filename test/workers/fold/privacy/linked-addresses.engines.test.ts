// `erase` reaches the whole person: through every address of their records, and not through a colleague's.
import { describe, expect } from 'vitest';
import type { Store } from '#src/store/contract.ts';
import { ingestRecords } from '#workers/sync/records.ts';
import { rebuild } from '#workers/sync/rebuild.ts';
import { privacyScreen } from '#workers/fold/privacy/screen.ts';
import { eraseFrom, everythingIn } from '../../../harness/erasures.ts';
import { ingestBodies, oneEngine, projectedRows, rowsOf, testWith } from '../../../harness/stores.ts';

const base = 'https://api.example.test';
const now = '2025-04-14T12:00:00.000000Z';
const screen = privacyScreen({ eraseOnDelete: true });
const eraseIn = (store: Store, whom: string, more: { only?: boolean; dryRun?: boolean } = {}) =>
  eraseFrom(store, whom, { now, ...more });

const deliveryBody = (event: string, payload: object) =>
  JSON.stringify({ event, created_at: '2025-04-14T11:00:00Z', payload });
const contactUri = (id: string) => `${base}/contacts/${id}`;
const contact = (id: string, ...emails: string[]) =>
  deliveryBody('contact.created', {
    uri: contactUri(id),
    name: `Contact ${id}`,
    emails: emails.map((email, index) => ({ email, is_primary: index === 0 })),
  });
const inviteeUri = (id: string) => `${base}/scheduled_events/${id}/invitees/${id}`;
const booking = (id: string, email: string, guests: readonly string[] = []) =>
  deliveryBody('invitee.created', {
    uri: inviteeUri(id),
    email,
    name: `Invitee ${id}`,
    event: `${base}/scheduled_events/${id}`,
    scheduled_event: {
      uri: `${base}/scheduled_events/${id}`,
      name: `Meeting ${id}`,
      event_guests: guests.map((guest) => ({ email: guest })),
    },
  });

const person = [
  booking('early', 'Second@example.test'),
  contact('ann', 'first@example.test', 'second@example.test'),
  contact('again', 'SECOND@example.test', 'third@example.test'),
  booking('first', 'first@example.test'),
  booking('third', 'third@example.test'),
  contact('bob', 'bob@example.test'),
  booking('bob', 'bob@example.test', ['third@example.test', 'guest@example.test']),
];
const theirs = ['first@', 'second@', 'third@', 'contact ann', 'contact again', 'invitee early', 'invitee third'];

const user = (id: string, email: string) => ({
  kind: 'user' as const,
  record: { uri: `${base}/users/${id}`, name: `User ${id}`, email },
  observed: '2025-04-14T11:30:00Z',
});
const readUsers = (store: Store, ...users: ReturnType<typeof user>[]) =>
  ingestRecords({ store, screen }, users, { source: 'backfill', now });

describe.each(oneEngine)('whom erase reaches on $name', ({ fresh }) => {
  const it = testWith(fresh);

  it.for([
    { by: 'an address', whom: 'third@example.test', followed: 2 },
    { by: 'the URI of a contact', whom: contactUri('ann'), followed: 3 },
    { by: 'the URI of a booking', whom: inviteeUri('early'), followed: 3 },
  ])('is everything under every address of the person, asked by $by', async ({ whom, followed }, { store }) => {
    await ingestBodies(store, person);
    const before = await everythingIn(store);
    const looked = await eraseIn(store, whom, { dryRun: true });
    expect(await everythingIn(store)).toBe(before);
    const receipt = await eraseIn(store, whom);
    expect(receipt.addresses).toEqual({ followed, left: 0 });
    expect(looked).toEqual({ ...receipt, dry_run: true });
    const after = await everythingIn(store);
    for (const words of theirs) expect([words, after.includes(words)]).toEqual([words, false]);
    expect(after.includes('contact bob') && after.includes('guest@example.test')).toBe(true);
    expect(JSON.stringify(receipt)).not.toContain('@');
    const hashes = (await rowsOf(store, 'event_log')).filter(({ body }) => String(body).includes('email_hash'));
    expect(hashes).toHaveLength(3);

    // Each address is recorded, so that late entries are recognized.
    const rows = await projectedRows(store);
    await ingestBodies(store, [...person, booking('late', 'third@example.test')]);
    expect((await everythingIn(store)).includes('third@')).toBe(false);
    expect((await everythingIn(store)).includes('invitee late')).toBe(false);
    expect((await projectedRows(store))['contacts']).toEqual(rows['contacts']);
    expect(await rebuild({ store, screen })).toMatchObject({ rowsDiffered: 0 });
  });

  it('does not lead through a colleague, unless the colleague was asked for', async ({ store }) => {
    await readUsers(store, user('host', 'Host@example.test'), user('other', 'other@example.test'));
    await ingestBodies(store, [
      contact('ann', 'first@example.test', 'host@example.test'),
      contact('host', 'host@example.test', 'home@example.test', 'other@example.test'),
      booking('host', 'host@example.test'),
    ]);
    const receipt = await eraseIn(store, contactUri('ann'));
    expect(receipt.addresses).toEqual({ followed: 1, left: 1 });
    expect(receipt.subjects).toEqual([{ uri: contactUri('ann'), table: 'contacts' }]);
    expect(await rowsOf(store, 'users')).toMatchObject([{ name: 'User host' }, { name: 'User other' }]);

    const asked = await eraseIn(store, `${base}/users/host`);
    expect(asked.addresses).toEqual({ followed: 2, left: 1 });
    const after = await everythingIn(store);
    const words = ['host@', 'home@', 'user host', 'contact host', 'invitee host', 'user other', 'other@'];
    expect(words.filter((each) => after.includes(each))).toEqual(['user other', 'other@']);
    expect(await rebuild({ store, screen })).toMatchObject({ rowsDiffered: 0 });
  });

  it('is refused, with a way on, where half an office hangs together', async ({ store }) => {
    const clerks = Array.from({ length: 30 }, (_, n) => contact(`c${n}`, `c${n}@example.test`, 'info@example.test'));
    await ingestBodies(store, clerks);
    const before = await rowsOf(store, 'event_log');
    await expect(eraseIn(store, 'c1@example.test')).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('Nothing was erased'),
      hint: expect.stringContaining('--only'),
    });
    expect(await rowsOf(store, 'event_log')).toEqual(before);
    await eraseIn(store, 'c1@example.test', { only: true });
    const after = await everythingIn(store);
    expect(['contact c1"', 'contact c2"', 'info@'].filter((words) => after.includes(words))).toEqual([
      'contact c2"',
      'info@',
    ]);
  });
});
