// The schema radar on every store: unknown kinds and fields, each with its first example, from a bounded part of the log.
import { describe, expect, it } from 'vitest';
import { getSchema } from '#src/api/mirror/schema.ts';
import { answerSchema } from '#src/http/operation.ts';
import { openReadApi } from '../../../harness/mirror/read-api.ts';
import { ingestBodies, storeEngines } from '../../../harness/stores.ts';

const base = 'https://service.example.com';
const delivery = (event: string, n: number, payload: object) =>
  JSON.stringify({
    event,
    created_at: `2025-04-14T11:${String(n).padStart(2, '0')}:00.000000Z`,
    created_by: `${base}/users/1`,
    payload,
  });
const contact = (n: number, more: object = {}) =>
  delivery('contact.created', n, {
    uri: `${base}/contacts/${n}`,
    name: `Person ${n}`,
    emails: [],
    created_at: '2025-04-14T11:00:00Z',
    updated_at: '2025-04-14T11:00:00Z',
    ...more,
  });

for (const { name, available, fresh } of storeEngines)
  describe.runIf(available)(`the schema radar on ${name}`, () => {
    it('lists unknown kinds with the number of entries and the first one', async () => {
      await using api = await openReadApi(fresh);
      await ingestBodies(api.store, [
        contact(1),
        delivery('contact.merged', 2, { uri: `${base}/contacts/1` }),
        delivery('invoice.paid', 3, { uri: `${base}/invoices/1` }),
        delivery('contact.merged', 4, { uri: `${base}/contacts/2` }),
      ]);
      const { status, body } = await api.get('/api/schema');
      expect(status).toBe(200);
      answerSchema(getSchema)?.parse(body);
      expect(body.kinds).toMatchObject([
        { event: 'contact.merged', count: 2, first: { seq: 2, event: 'contact.merged' } },
        { event: 'invoice.paid', count: 1, first: { seq: 3 } },
      ]);
      expect(body.fields).toEqual([]);
      expect(body.examined).toMatchObject({ unhandled: 3, entries: 4, rows: 1 });
    });

    it('lists unknown fields of rows and of the records that they embed, with the delivery that has them first', async () => {
      await using api = await openReadApi(fresh);
      const invitee = {
        uri: `${base}/scheduled_events/1/invitees/1`,
        email: 'person@example.com',
        name: 'Person',
        status: 'active',
        event: `${base}/scheduled_events/1`,
        created_at: '2025-04-14T11:00:00Z',
        updated_at: '2025-04-14T11:00:00Z',
        mood: 'secret value',
        scheduled_event: { uri: `${base}/scheduled_events/1`, name: 'Call', status: 'active', weather: { wind: 3 } },
      };
      await ingestBodies(api.store, [
        contact(1),
        contact(2, { nickname: 'secret value' }),
        contact(3, { nickname: null, avatar: 7 }),
        delivery('invitee.created', 4, invitee),
      ]);
      const { body } = await api.get('/api/schema');
      answerSchema(getSchema)?.parse(body);
      expect(body.fields).toMatchObject([
        { table: 'contacts', field: 'nickname', type: 'string', rows: 2, first: { seq: 2, event: 'contact.created' } },
        { table: 'contacts', field: 'avatar', type: 'number', rows: 1, first: { seq: 3 } },
        { table: 'invitees', field: 'mood', rows: 1, first: { seq: 4 } },
        { table: 'scheduled_events', field: 'weather', type: 'object', rows: 1, first: { seq: 4 } },
      ]);
      expect(JSON.stringify(body)).not.toContain('secret value');
    });

    it('is empty where there is nothing', async () => {
      await using api = await openReadApi(fresh);
      const { body } = await api.get('/api/schema');
      expect(body).toMatchObject({ kinds: [], fields: [], examined: { entries: 0, rows: 0, since: null } });
    });
  });
