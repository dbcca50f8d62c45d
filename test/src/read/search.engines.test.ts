// What a person finds who types a part of a name or a company, an address or a number: and what comes first.
import { describe, expect, it } from 'vitest';
import { searchBookings, searchContacts, searchHosts } from '#src/read/search.ts';
import { contactDelivery } from '../../harness/data/contact-deliveries.ts';
import { ingestCountedBookings } from '../../harness/data/counted-bookings.ts';
import { availableEngines, ingestBodies, type TestStore } from '../../harness/stores.ts';

const contact = (id: string, version: number, more: object) =>
  contactDelivery({ id, version: 0, more: { created_at: `2025-01-0${version}T09:00:00Z`, ...more } });
const number = (phone_number: string) => ({ phone_numbers: [{ phone_number, is_primary: true }] });

const walker = { emails: [{ email: 'ada.walker@example.test', is_primary: true }] };

async function fill({ store }: TestStore): Promise<void> {
  await ingestBodies(store, [
    contact('walker', 1, { name: 'Ada Walker', company: 'Skylark', ...walker, ...number('+1 (202) 555-0100') }),
    contact('yadav', 5, { name: 'Anika Yadav', company: 'Old Adagio' }),
    contact('mid', 3, { name: 'Grace Ada Hopper', company: null, ...number('+12025550002') }),
    contact('firm', 4, { name: 'Linus', company: 'Adamant' }),
    contact('percent', 6, { name: '100% _Sure\\', company: 'Skylark Ltd' }),
  ]);
  await store.db
    .insertInto('users')
    .values([
      { uri: 'https://api.example.test/users/marta', name: 'Marta Kowalski', email: 'Marta@example.test' },
      { uri: 'https://api.example.test/users/tamar', name: 'Tamara', email: 'tamara@example.test' },
    ] as never)
    .execute();
}

describe.each(availableEngines)('search on $name', ({ fresh }) => {
  it('finds contacts by name and company: what begins with the text first, then what has a word that does', async () => {
    await using opened = await fresh();
    await fill(opened);
    const namesFor = async (text: string) => (await searchContacts(opened.store, text, 9)).rows.map(({ name }) => name);
    expect(await namesFor('ada')).toEqual(['Ada Walker', 'Linus', 'Anika Yadav', 'Grace Ada Hopper']);
    expect(await namesFor('ADA W')).toEqual(['Ada Walker']);
    expect(await namesFor('skylark')).toEqual(['100% _Sure\\', 'Ada Walker']);
    expect(await namesFor('%')).toEqual(['100% _Sure\\']);
    expect(await namesFor('_s')).toEqual(['100% _Sure\\']);
    expect(await namesFor('no one')).toEqual([]);
    expect((await searchContacts(opened.store, 'ada', 2)).isMore).toBe(true);
  });

  it('finds contacts by a number, however its digits are grouped, and by an address in any case', async () => {
    await using opened = await fresh();
    await fill(opened);
    const namesFor = async (text: string) => (await searchContacts(opened.store, text, 9)).rows.map(({ name }) => name);
    expect(await namesFor('+12025550100')).toEqual(['Ada Walker']);
    expect(await namesFor('202 555-0100')).toEqual(['Ada Walker']);
    expect(await namesFor('202555')).toEqual(['Grace Ada Hopper', 'Ada Walker']);
    expect(await namesFor('ADA.Walker@example.test')).toEqual(['Ada Walker']);
  });

  it('finds hosts by name, and by an address in any case', async () => {
    await using opened = await fresh();
    await fill(opened);
    const namesFor = async (text: string) => (await searchHosts(opened.store, text, 9)).rows.map(({ name }) => name);
    expect(await namesFor('mar')).toEqual(['Marta Kowalski', 'Tamara']);
    expect(await namesFor('kowal')).toEqual(['Marta Kowalski']);
    expect(await namesFor('marta@EXAMPLE.test')).toEqual(['Marta Kowalski']);
    expect(await namesFor('arta@example.test')).toEqual([]);
  });

  it('finds bookings by the name or the address of the invitee', async () => {
    await using opened = await fresh();
    await ingestCountedBookings(opened.store);
    const { rows: all } = await searchBookings(opened.store, '', 1_000);
    const some = all.find(({ invitee_name: name }) => name !== null);
    const [first] = (await searchBookings(opened.store, String(some?.invitee_name), 5)).rows;
    expect(first?.invitee_name).toBe(some?.invitee_name);
    const theirs = (await searchBookings(opened.store, String(some?.invitee_email).toUpperCase(), 50)).rows;
    expect(new Set(theirs.map(({ invitee_email: email }) => email?.toLowerCase()))).toEqual(
      new Set([String(some?.invitee_email).toLowerCase()]),
    );
  });
});
