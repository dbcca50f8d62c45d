// People over all their addresses on the admin listener, on every store.
import { describe, expect, it } from 'vitest';
import { openReadApi } from '../../../harness/mirror/read-api.ts';
import { ingestBodies, storeEngines } from '../../../harness/stores.ts';

const uri = (kind: string, id: string): string => `https://api.example.test/${kind}/${id}`;
const time = (day: number): string => `2025-02-0${day}T10:00:00.000000Z`;

const contact = (id: string, day: number, emails: readonly string[], event = 'contact.created') =>
  JSON.stringify({
    event,
    created_at: time(day),
    payload: {
      uri: uri('contacts', id),
      name: `Name of ${id}`,
      emails: emails.map((email, index) => ({ email: `${email}@example.test`, is_primary: index === 0 })),
      created_at: time(day),
      updated_at: time(day),
      ...(event === 'contact.deleted' && { deleted_at: time(day) }),
    },
  });
const booking = (id: string, day: number, email: string) =>
  JSON.stringify({
    event: 'invitee.created',
    created_at: time(day),
    payload: {
      uri: `${uri('scheduled_events', id)}/invitees/${id}`,
      email: `${email}@example.test`,
      name: `Booker of ${id}`,
      status: 'active',
      event: uri('scheduled_events', id),
      created_at: time(day),
      updated_at: time(day),
      tracking: { utm_campaign: `campaign ${id}` },
      scheduled_event: {
        uri: uri('scheduled_events', id),
        status: 'active',
        start_time: time(day),
        end_time: time(day),
      },
    },
  });

const namesIn = (body: { collection: readonly { person: string }[] }) =>
  body.collection.map(({ person }) => person.slice(person.lastIndexOf('/') + 1));

for (const engine of storeEngines)
  describe.runIf(engine.available)(`people on ${engine.name}`, () => {
    async function openWorld() {
      const api = await openReadApi(engine.fresh);
      await ingestBodies(api.store, [
        contact('ada', 1, ['ada', 'ada.b']),
        contact('ada2', 2, ['ADA.B', 'lovelace']),
        contact('ben', 3, ['ben']),
        contact('old', 3, ['cyd'], 'contact.deleted'),
        booking('b1', 1, 'ada'),
        booking('b2', 2, 'Lovelace'),
        booking('b3', 3, 'cyd'),
        booking('b4', 4, 'Cyd'),
        booking('b5', 5, 'dee'),
      ]);
      return api;
    }

    it('of given contacts are on one page', async () => {
      await using api = await openWorld();
      const uris = ['ben', 'ada2', 'old', 'none'].map((id) => uri('contacts', id)).join();
      expect(namesIn((await api.get(`/api/people?contact_uris=${uris}`)).body)).toEqual(['ben', 'ada']);
      expect((await api.get(`/api/people?contact_uris=${'x,'.repeat(100)}`)).status).toBe(400);
    });

    it('with a contact are listed once each, those without one apart, newest first', async () => {
      await using api = await openWorld();
      const { body } = await api.get('/api/people');
      expect(namesIn(body)).toEqual(['ben', 'ada']);
      expect(body.collection[1]).toEqual({
        person: uri('contacts', 'ada'),
        contact_uri: uri('contacts', 'ada'),
        name: 'Name of ada',
        primary_email: 'ada@example.test',
        emails: ['ada.b@example.test', 'ada@example.test', 'lovelace@example.test'],
        contacts: 2,
        contact_uris: [uri('contacts', 'ada'), uri('contacts', 'ada2')],
        first_touch: time(1),
        last_touch: time(2),
        bookings: 2,
        shows: 2,
        unconfirmed: 2,
        no_shows: 0,
        last_campaign: 'campaign b2',
        next_meeting: null,
        last_meeting: time(2),
      });
      const without = await api.get('/api/people?contact=false');
      expect(namesIn(without.body)).toEqual(['b5', 'b3']);
      expect(without.body.collection[1]).toMatchObject({
        contact_uri: null,
        emails: ['cyd@example.test'],
        bookings: 2,
      });
    });

    it('are found by any address and by a part of a name', async () => {
      await using api = await openWorld();
      const found = async (query: string) => namesIn((await api.get(`/api/people?${query}`)).body);
      expect(await found('email=LOVELACE@example.test')).toEqual(['ada']);
      expect(await found('email=cyd@example.test')).toEqual(['b3']);
      expect(await found('email=cyd@example.test&contact=true')).toEqual([]);
      expect(await found('email=none@example.test')).toEqual([]);
      expect(await found('name=ADA2')).toEqual(['ada']);
      expect(await found('name=name%20of')).toEqual(['ben', 'ada']);
      expect(await found('name=booker&contact=false')).toEqual(['b5', 'b3']);
      expect(await found('name=r%25b&contact=false')).toEqual([]);
    });

    it('are read page by page, both ways', async () => {
      await using api = await openWorld();
      for (const filter of ['', '&contact=false']) {
        const { body: first } = await api.get(`/api/people?count=1${filter}`);
        const { body: next } = await api.get(`/api/people?page_token=${first.pagination.next_page_token}&count=1`);
        const { body: back } = await api.get(`/api/people?page_token=${next.pagination.previous_page_token}&count=1`);
        expect([...namesIn(first), ...namesIn(back)]).toEqual(filter === '' ? ['ben', 'ben'] : ['b5', 'b5']);
        expect(namesIn(next)).toEqual(filter === '' ? [] : ['b3']);
      }
    });

    it('are shown by any of their contacts or bookings', async () => {
      await using api = await openWorld();
      for (const id of ['ada', 'ada2', 'b1', 'b2'])
        expect((await api.get(`/api/people/${id}`)).body.resource.person).toBe(uri('contacts', 'ada'));
      expect((await api.get('/api/people/b4')).body.resource.person).toContain('/invitees/b3');
      for (const id of ['old', 'none', "'"])
        expect((await api.get(`/api/people/${encodeURIComponent(id)}`)).status).toBe(404);
      const history = await api.get('/api/contacts/ben/timeline');
      expect(history.status).toBe(200);
      const { body } = await api.get('/api/contacts/ada2/timeline');
      expect(body.collection.filter(({ kind }: { kind: string }) => kind === 'booked')).toHaveLength(2);
    });
  });
