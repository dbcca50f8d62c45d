// The index of contacts on SQLite that a search reads: it holds what the contacts say, never what one of them no longer says, in
// answers and in bytes.
import { readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { describe, expect } from 'vitest';
import type { Store } from '#src/store/contract.ts';
import { findContacts } from '#src/read/contacts/contact-page.ts';
import { erase } from '#workers/fold/privacy/erase.ts';
import { targetOf } from '#workers/fold/privacy/target.ts';
import { rebuild } from '#workers/sync/rebuild.ts';
import { privacyScreen } from '#workers/fold/privacy/screen.ts';
import { aDayLater, freshSqlite, ingestBodies, testWith } from '../../../harness/stores.ts';

const it = testWith(freshSqlite);

const base = 'https://api.example.test';
const now = '2026-01-01T00:00:00.000000Z';
const uriOf = (n: number) => `${base}/contacts/${n}`;
const emailOf = (n: number) => `person${n}@example.test`;

function contactUpdate(n: number, more: Readonly<Record<string, unknown>>, minute = 10): string {
  const at = `2025-04-14T11:${minute}:00.000000Z`;
  const payload = {
    uri: uriOf(n),
    created_at: '2025-04-14T11:00:00.000000Z',
    updated_at: at,
    emails: [{ email: emailOf(n), is_primary: true }],
    ...more,
  };
  return JSON.stringify({ event: 'contact.updated', created_at: at, payload });
}
const gone = (n: number) =>
  JSON.stringify({ event: 'contact.deleted', created_at: '2025-04-14T12:00:00Z', payload: { uri: uriOf(n) } });

async function found(store: Store, ...name: readonly string[]): Promise<readonly string[]> {
  const page = { count: 300, descending: false, backwards: false };
  const { items } = await findContacts(store, { search: { name: [...name] }, order: 'updated_at', page });
  return items.map(({ uri }) => uri);
}
const isSound = async (store: Store) => {
  const { rows } = await sql<{ integrity_check: string }>`pragma integrity_check`.execute(store.db);
  expect(rows).toEqual([{ integrity_check: 'ok' }]);
};

async function bytesOf(url: string): Promise<string> {
  const path = url.slice('sqlite:'.length);
  return (await Promise.all([path, `${path}-wal`].map((file) => readFile(file, 'latin1')))).join('\n');
}
/** How often a text stands there, in any case. */
const timesIn = (bytes: string, text: string) => bytes.toLowerCase().split(text).length - 1;

describe('the index that a search of contacts reads', () => {
  it('forgets a deleted contact at once, also what it said before, and in the bytes with the scrub', async ({
    opened,
    store,
  }) => {
    await ingestBodies(store, [
      contactUpdate(1, { name: 'Qvxzw' }),
      contactUpdate(2, { name: 'Plmok' }),
      contactUpdate(3, { name: 'Qvxzw too' }),
    ]);
    expect([await found(store, 'qvx'), await found(store, 'plm')]).toEqual([[uriOf(1), uriOf(3)], [uriOf(2)]]);
    // Each in another state when it goes: indexed, and changed since.
    await ingestBodies(store, [contactUpdate(3, { name: 'Zzyzx' }, 20)]);
    await ingestBodies(store, [gone(1), gone(3)]);
    expect([await found(store, 'qvx'), await found(store, 'zzy'), await found(store, 'plm')]).toEqual([
      [],
      [],
      [uriOf(2)],
    ]);
    await store.engine.scrub(aDayLater());
    const bytes = await bytesOf(opened.url);
    for (const text of ['qvxzw', 'qvx', 'zzyzx']) expect([text, timesIn(bytes, text)]).toEqual([text, 0]);
    expect(timesIn(bytes, 'plmok')).toBeGreaterThan(0);
    await isSound(store);
  });

  it('forgets an erased person, and in the bytes with the scrub', async ({ opened, store }) => {
    const needs = { store, newKey: () => 'k'.repeat(64) };
    await ingestBodies(store, [
      contactUpdate(1, { name: 'Qvxzw' }),
      contactUpdate(2, { name: 'Plmok' }),
      contactUpdate(3, { name: 'Known', company: `knows ${emailOf(1)}` }),
    ]);
    await ingestBodies(store, [contactUpdate(1, { name: 'Qvxzw Zyxwv' }, 20)]);
    await erase(needs, targetOf(emailOf(1)), { now });
    expect([await found(store, 'qvx'), await found(store, 'zyx'), await found(store, 'plm')]).toEqual([
      [],
      [],
      [uriOf(2)],
    ]);
    await store.engine.scrub(aDayLater());
    const bytes = await bytesOf(opened.url);
    expect(['qvxzw', 'zyxwv', emailOf(1)].map((text) => timesIn(bytes, text))).toEqual([0, 0, 0]);
    expect(timesIn(bytes, 'plmok')).toBeGreaterThan(0);
    await isSound(store);
  });

  it('keeps nothing of many deleted contacts whose words other contacts use too', async ({ opened, store }) => {
    const people = Array.from({ length: 300 }, (_, n) => n);
    const nameOf = (n: number) => `Person ${String(n).padStart(4, '0')}q`;
    for (let at = 0; at < people.length; at += 50) {
      const some = people.slice(at, at + 50);
      await ingestBodies(
        store,
        some.map((n) => contactUpdate(n, { name: nameOf(n) })),
      );
      await ingestBodies(store, some.filter((n) => n % 3 === 0).map(gone));
    }
    await store.engine.scrub(aDayLater());
    const bytes = await bytesOf(opened.url);
    const left = people.filter((n) => timesIn(bytes, nameOf(n).toLowerCase()) > 0);
    expect(left).toEqual(people.filter((n) => n % 3 !== 0));
    expect((await found(store, 'person')).length).toBe(200);
    await isSound(store);
  });

  it('is right after a rebuild that repairs, and after the file was written anew', async ({ store }) => {
    await ingestBodies(store, [
      contactUpdate(1, { name: 'Qvxzw' }),
      contactUpdate(2, { name: 'Plmok' }),
      contactUpdate(3, { name: 'Known' }),
    ]);
    // As no code of ours does: the rebuild finds it.
    await sql`update ${sql.table('contacts')} set name = 'Spoilt', updated_at = '2020-01-01T00:00:00.000000Z' where uri = ${uriOf(1)}`.execute(
      store.db,
    );
    await sql`delete from ${sql.table('contacts')} where uri = ${uriOf(2)}`.execute(store.db);
    await rebuild({ store, screen: privacyScreen({ eraseOnDelete: true }) });
    expect([await found(store, 'spoilt'), await found(store, 'qvx'), await found(store, 'plm')]).toEqual([
      [],
      [uriOf(1)],
      [uriOf(2)],
    ]);
    await store.engine.noteRedaction(store.db);
    await store.engine.scrub(aDayLater());
    expect([await found(store, 'qvx'), await found(store, 'plm'), await found(store, 'kno')]).toEqual([
      [uriOf(1)],
      [uriOf(2)],
      [uriOf(3)],
    ]);
    await isSound(store);
  });
});

describe('a search of contacts on SQLite', () => {
  it.for([
    ['österreich', 'ÖSTERREICH', 'Österreich', 'öSTERREICH'],
    ['Жанна', 'ЖАННА', 'жанна'],
    ['Παπαδόπουλος', 'ΠΑΠΑΔΌΠΟΥΛΟΣ', 'παπαδόπουλος'],
    ['Straße', 'STRAẞE'],
    ['[ÄÖ]*?', '[äö]*?'],
    ['é%_\\', 'É%_\\'],
  ])('finds each of these by each other: %s', async (names, { store }) => {
    await ingestBodies(store, [
      ...names.map((name, n) => contactUpdate(n, { name })),
      contactUpdate(90, { name: 'Osterreich Zanna Papadopoulos Strasse' }),
      contactUpdate(91, { name: 'ÄÖ and more é__x ä' }),
    ]);
    const wanted = names.map((_, n) => uriOf(n));
    for (const name of names) expect([name, await found(store, name)]).toEqual([name, wanted]);
  });

  it('takes a thousand texts at once', async ({ store }) => {
    await ingestBodies(store, [contactUpdate(1, { name: 'Ärmel' })]);
    const others = Array.from({ length: 2_000 }, (_, n) => `ö other ${n}`);
    expect([await found(store, ...others), await found(store, ...others, 'äRM')]).toEqual([[], [uriOf(1)]]);
  });
});
