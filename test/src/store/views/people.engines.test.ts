// People: for any contacts and bookings in any order, the view equals a union-find over the rows; erasures, shared mailboxes.
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '#src/store/contract.ts';
import type { StoredColumns } from '#src/store/columns.ts';
import type { StoredRow } from '#src/store/rows.ts';
import { findWithoutContact, peopleOfContacts } from '#src/read/people/people.ts';
import { decodeViewRow, type View } from '#src/store/views/view.ts';
import { viewsFor } from '#src/store/views/views.ts';
import { erase } from '#workers/fold/privacy/erase.ts';
import { targetOf } from '#workers/fold/privacy/target.ts';
import { openedOnce } from '../../../harness/opened.ts';
import { cut, reordered } from '../../../harness/data/delivery-histories.ts';
import { inOrder, viewRows } from '../../../harness/mirror/view-rows.ts';
import { propertyTimeoutMs, runs } from '../../../harness/runs.ts';
import { emptyTables, asReader, availableEngines, ingestBodies, projectedRows } from '../../../harness/stores.ts';
import { peopleOf } from '../../../oracle/people.ts';

const uri = (kind: string, name: string | number) => `https://api.example.test/${kind}/${name}`;
const at = (day: number) => `2025-01-0${day + 1}T10:00:00.000000Z`;

const contactBody = (name: string | number, emails: readonly string[], day = 0) =>
  JSON.stringify({
    event: 'contact.updated',
    created_at: at(day),
    payload: {
      uri: uri('contacts', name),
      name: `Contact ${name}`,
      emails: emails.map((email, index) => ({ email, is_primary: index === 0 })),
      created_at: at(0),
      updated_at: at(day),
    },
  });
const deletedBody = (name: string | number, day = 0) =>
  JSON.stringify({
    event: 'contact.deleted',
    created_at: at(day),
    payload: { uri: uri('contacts', name), deleted_at: at(day) },
  });
const bookingBody = (name: string | number, email: string | null, day = 0, more: object = {}) =>
  JSON.stringify({
    event: 'invitee.created',
    created_at: at(day),
    payload: {
      uri: uri('invitees', name),
      email,
      name: 'Ada',
      status: 'active',
      event: uri('scheduled_events', name),
      created_at: at(day),
      updated_at: at(day),
      scheduled_event: {
        uri: uri('scheduled_events', name),
        status: 'active',
        start_time: at(day),
        end_time: at(day),
        updated_at: at(day),
      },
      ...more,
    },
  });

const addresses = ['ada', 'ADA', 'ada.b', 'Ben', 'ben', 'ben.c', 'cyd', 'info'].map((name) => `${name}@example.test`);
const address = fc.constantFrom(...addresses);
const day = fc.nat(4);
const body = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(fc.nat(5), fc.array(address, { maxLength: 3 }), day)
      .map(([name, emails, when]) => contactBody(name, emails, when)),
  },
  { weight: 1, arbitrary: fc.tuple(fc.nat(5), day).map(([name, when]) => deletedBody(name, when)) },
  {
    weight: 5,
    arbitrary: fc
      .tuple(fc.nat(7), fc.option(address, { freq: 6 }), day, fc.option(fc.nat(7)), fc.option(fc.nat(7)))
      .map(([name, email, when, old, next]) =>
        bookingBody(name, email, when, {
          ...(old !== null && { old_invitee: uri('invitees', old) }),
          ...(next !== null && { new_invitee: uri('invitees', next) }),
        }),
      ),
  },
);
const lives = fc.array(body, { minLength: 1, maxLength: 20 }).chain((bodies) =>
  fc.record({
    batches: reordered(bodies).chain(cut),
    otherwise: reordered(bodies).chain(cut),
    eraseOnDelete: fc.boolean(),
    erased: fc.option(address),
    isErasedEarly: fc.boolean(),
    most: fc.constantFrom(1, 2, 3, 20),
  }),
);

const eraseAddress = (store: Store, whom: string) =>
  erase({ store, newKey: () => 'k'.repeat(64) }, targetOf(whom), { now: '2026-01-01T00:00:00.000000Z' });

const [people] = viewsFor([]).filter(({ name }) => name === 'people') as [View];

/** The rows with another limit than the view has. */
async function rowsWith(store: Store, most: number): Promise<StoredRow[]> {
  const { engine } = store;
  const text = people.select(engine.name).replaceAll(/--.*/g, '');
  expect(text.match(/\b20\b/g)).toHaveLength(4);
  const limited = text.replaceAll(/\b20\b/g, String(most)).replaceAll(/\b21\b/g, String(most + 1));
  const rows = await asReader<StoredColumns>(store, limited);
  const decoded = rows.map((row) => decodeViewRow(engine, people.columns, row));
  return inOrder(decoded, people.key);
}

/** All of them as pages and tools read them. */
async function readPeople(store: Store): Promise<StoredRow[]> {
  const contacts = await store.db.selectFrom('contacts').select('uri').execute();
  const known = await peopleOfContacts(
    store,
    contacts.map(({ uri }) => uri),
  );
  const { items } = await findWithoutContact(store, undefined, { count: 100, descending: true, backwards: false });
  return inOrder(
    [...known, ...items].map((person): StoredRow => ({ ...person })),
    people.key,
  );
}

describe.each(availableEngines)('people on $name', { timeout: propertyTimeoutMs }, ({ name, fresh }) => {
  const opened = openedOnce(fresh);
  beforeEach(() => emptyTables(opened.store));

  it('are the connected contacts and the addresses without one, in any order of deliveries, erased or not', async () => {
    const { store } = opened;
    await fc.assert(
      fc.asyncProperty(lives, async ({ batches, otherwise, eraseOnDelete, erased, isErasedEarly, most }) => {
        const live = async (order: readonly (readonly string[])[]) => {
          await emptyTables(store);
          for (const [index, batch] of order.entries()) {
            if (erased !== null && isErasedEarly && index === 1) await eraseAddress(store, erased);
            await ingestBodies(store, batch, eraseOnDelete);
          }
          if (erased !== null) await eraseAddress(store, erased);
          const rows = await rowsWith(store, most);
          expect(rows).toEqual(
            inOrder(peopleOf(await projectedRows(store), new Date().toISOString(), most), people.key),
          );
          return rows;
        };
        const rows = await live(batches);
        // Whom an early erasure reaches depends on what was known by then.
        if (erased === null || !isErasedEarly) expect(await live(otherwise)).toEqual(rows);
        if (erased !== null) expect(JSON.stringify(rows).toLowerCase()).not.toContain(`"${erased.toLowerCase()}"`);
        expect(await readPeople(store)).toEqual(await viewRows(store, 'people'));
        const all = rows.flatMap(({ emails }) => emails);
        expect(new Set(all).size).toBe(all.length);
      }),
      runs(name === 'sqlite' ? 36 : 9),
    );
  });

  it('an address of more than 20 contacts is a person of its own and connects no one', async () => {
    const contacts = Array.from({ length: 21 }, (_, n) => contactBody(n, [`p${n}@example.test`, 'info@example.test']));
    await ingestBodies(opened.store, contacts.slice(1));
    expect(await viewRows(opened.store, 'people')).toMatchObject([{ contacts: 20 }]);
    await ingestBodies(opened.store, [...contacts.slice(0, 1), bookingBody(1, 'Info@example.test')]);
    expect(await viewRows(opened.store, 'people')).toMatchObject([
      ...contacts.map(() => ({ contacts: 1, bookings: 0 })),
      { person: uri('invitees', 1), contact_uri: null, emails: ['info@example.test'], bookings: 1 },
    ]);
  });
});
