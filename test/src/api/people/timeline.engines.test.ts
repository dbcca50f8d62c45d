// The history of a person on the admin listener, on every store.
import { describe, expect, it } from 'vitest';
import { insertAlerts } from '#src/store/alerts/alert-rows.ts';
import { erase } from '#workers/privacy/erase.ts';
import { targetOf } from '#workers/privacy/target.ts';
import { january, ingestCountedBookings, uri } from '../../../harness/data/counted-bookings.ts';
import { contactDelivery } from '../../../harness/data/contact-deliveries.ts';
import { openReadApi } from '../../../harness/mirror/read-api.ts';
import { ingestBodies, storeEngines } from '../../../harness/stores.ts';

interface Item {
  readonly id: string;
  readonly time: string;
  readonly kind: string;
  readonly sentence: string;
  readonly page: string | null;
  readonly seq: number | null;
}

const path = '/api/contacts/a/timeline';
const kindsIn = (body: { collection: readonly Item[] }) => body.collection.map(({ kind }) => kind);

const byContent = (a: object, b: object) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);

for (const engine of storeEngines)
  describe.runIf(engine.available)(`the history of a person on ${engine.name}`, () => {
    async function openWorld() {
      const api = await openReadApi(engine.fresh);
      await ingestCountedBookings(api.store);
      const about = { uri: uri('contacts', 'a'), updated_at: january(5), emails: contactEmails };
      const changed = { event: 'contact.updated', created_at: january(5), payload: { ...about, company: 'Acme' } };
      const event = { uri: uri('events', 'A3'), name: 'A talk', start_time: january(6) };
      const recap = { uri: uri('meeting_recaps', 'r'), created_at: january(7), summary_md: 'All agreed', event };
      const merged = { event: 'contact.merged', created_at: january(8), payload: { uri: uri('contacts', 'a') } };
      const written = { event: 'meeting_recap.created', created_at: january(7), payload: recap };
      await ingestBodies(
        api.store,
        [changed, written, merged].map((body) => JSON.stringify(body)),
      );
      await api.store.transaction((unit) => insertAlerts(unit, [alert], january(7, '16:00:00')));
      return api;
    }

    it('has the contact and all bookings of all addresses in any letter case, newest first', async () => {
      await using api = await openWorld();
      const { status, body } = await api.get(path);
      const items = body.collection as readonly Item[];
      expect(status).toBe(200);
      expect(items.map(({ time }) => time)).toEqual(
        items
          .map(({ time }) => time)
          .toSorted()
          .toReversed(),
      );
      expect(items.map(({ kind, sentence }) => [kind, sentence])).toEqual([
        ['contact_reported', 'The service sent contact.merged, a kind that is not known here.'],
        ['alert', 'The alert “no_show” about the no-show waits to be sent to slack.'],
        ['no_show', 'Marked as a no-show for A talk.'],
        ['meeting', 'Start of A talk.'],
        ['recap', 'A recap of A talk was written.'],
        ['held', 'End of A talk.'],
        ['contact_changed', 'The contact changed (company: none → Acme; e-mail addresses: none → b@EXAMPLE.test).'],
        ['moved', 'The invitee moved A talk to another time.'],
        ['moved', 'The invitee moved A talk to another time.'],
        ['moved', 'The invitee moved A talk to another time.'],
        ['form_submitted', 'Submitted the form Sales.'],
        ['form_submitted', 'Submitted the form Sales.'],
        ['contact_created', 'The contact was created.'],
        ['booked', 'Booked A talk.'],
        ['booked', 'Booked A talk.'],
      ]);
    });

    it('leads to the page and the log entry of each', async () => {
      await using api = await openWorld();
      const { body } = await api.get(path);
      const items = body.collection as readonly Item[];
      const unreported = ['meeting', 'held', 'alert'];
      for (const { kind, seq } of items) expect([kind, seq === null]).toEqual([kind, unreported.includes(kind)]);
      expect(items.find(({ kind }) => kind === 'recap')?.page).toBe('/recaps/r');
      expect(items.find(({ kind }) => kind === 'no_show')?.page).toBe('/bookings/B3');
      const alerts = `/mirror/alerts?subject=${encodeURIComponent(uri('invitees', 'B3'))}`;
      expect(items.find(({ kind }) => kind === 'alert')?.page).toBe(alerts);
      const booked = items.find(({ id }) => id === `booked ${uri('invitees', 'A1')}`);
      const delivery = await api.get(`/api/deliveries/${booked?.seq}`);
      expect(delivery.body.resource).toMatchObject({ event: 'invitee.created', subject_uri: uri('invitees', 'A1') });
    });

    it('has the timelines of all bookings, with the same words and log entries', async () => {
      await using api = await openWorld();
      const marked = (id: string | null, at: string) => {
        const no_show = id && { uri: uri('no_shows', id), created_at: at };
        const payload = { uri: uri('invitees', 'A3'), no_show, updated_at: at };
        return JSON.stringify({ event: `invitee_no_show.${id ? 'created' : 'deleted'}`, created_at: at, payload });
      };
      for (const [id, day] of [
        ['8', 8],
        [null, 9],
        ['9', 10],
      ] as const)
        await ingestBodies(api.store, [marked(id, january(day))]);
      const items = (await api.get(path)).body.collection as readonly Item[];
      const listed = items.map(({ time: at, kind, sentence, seq }) => ({ at, kind, sentence, seq }));
      const timelines = await Promise.all(['A1', 'B1'].map((id) => api.get(`/api/bookings/${id}`)));
      const points = timelines.flatMap(({ body }) => body.resource.timeline as readonly (typeof listed)[number][]);
      // The two operations have other names for some kinds.
      const withoutKind = ({ at, sentence, seq }: (typeof listed)[number]) => ({ at, sentence, seq });
      expect(points.map(withoutKind).toSorted(byContent)).toEqual(
        listed
          .filter(({ kind }) => !kind.startsWith('contact_'))
          .map(withoutKind)
          .toSorted(byContent),
      );
      const marks = points.filter(({ sentence }) => sentence.includes('no-show'));
      expect(new Set(marks.map(({ seq }) => seq)).size).toBe(marks.length);
    });

    it('is paged both ways, every item once', async () => {
      await using api = await openWorld();
      const whole = ((await api.get(path)).body.collection as readonly Item[]).map(({ id }) => id);
      expect(new Set(whole).size).toBe(whole.length);
      const pages: string[][] = [];
      let previous: string | null = null;
      for (let token: string | null = ''; token !== null;) {
        const { body } = await api.get(`${path}?count=4${token === '' ? '' : `&page_token=${token}`}`);
        pages.push((body.collection as readonly Item[]).map(({ id }) => id));
        token = body.pagination.next_page_token;
        previous = body.pagination.previous_page_token;
      }
      expect(pages.flat()).toEqual(whole);
      const { body: back } = await api.get(`${path}?count=4&page_token=${previous}`);
      expect((back.collection as readonly Item[]).map(({ id }) => id)).toEqual(pages.at(-2));
      expect((await api.get(`/api/contacts/other/timeline?page_token=${previous}`)).status).toBe(400);
    });

    it('of a deleted contact has nothing but its own changes', async () => {
      await using api = await openWorld();
      const payload = { uri: uri('contacts', 'a'), deleted_at: january(9) };
      await ingestBodies(api.store, [JSON.stringify({ event: 'contact.deleted', created_at: january(9), payload })]);
      const { body } = await api.get(path);
      expect(kindsIn(body)).toEqual(['contact_deleted', 'contact_reported', 'contact_created']);
    });

    it('of an erased person names nothing', async () => {
      await using api = await openWorld();
      const now = '2025-03-01T00:00:00.000000Z';
      await erase({ store: api.store, newKey: () => 'k'.repeat(64) }, targetOf('a@example.test'), { now });
      const { body } = await api.get(path);
      expect(kindsIn(body).filter((kind) => !kind.startsWith('contact_'))).toEqual([]);
      for (const address of [path, '/api/recaps', '/api/routing/submissions', '/api/contacts'])
        expect(JSON.stringify((await api.get(address)).body)).not.toMatch(/a@example|Guest A|Acme|All agreed/i);
    });

    it('says that a booking was moved to one with another address, whichever of the two links them', async () => {
      await using api = await openReadApi(engine.fresh);
      const invitee = (id: string, email: string, more: object) => {
        const about = { uri: uri('invitees', id), event: uri('events', id), email, created_at: january(2) };
        const scheduled_event = { uri: uri('events', id), name: `Talk ${id}`, start_time: january(3) };
        const payload = { updated_at: january(2), ...about, ...more, scheduled_event };
        return JSON.stringify({ event: 'invitee.created', created_at: january(2), payload });
      };
      const moved = (next: string | null) => ({ status: 'canceled', rescheduled: true, new_invitee: next });
      await ingestBodies(api.store, [
        contactDelivery({ id: 'one', version: 0, more: { emails: [{ email: 'one@example.test', is_primary: true }] } }),
        invitee('1', 'one@example.test', moved(uri('invitees', '2'))),
        invitee('2', 'other@example.test', {}),
        invitee('3', 'one@example.test', moved(null)),
        invitee('4', 'other@example.test', { old_invitee: uri('invitees', '3') }),
        invitee('5', 'one@example.test', moved(uri('invitees', '6'))),
      ]);
      const items = (await api.get('/api/contacts/one/timeline')).body.collection as readonly Item[];
      const ends = items.flatMap(({ sentence }) => /Talk . to a booking .*/.exec(sentence) ?? []);
      expect(ends.toSorted()).toEqual([
        'Talk 1 to a booking with another address.',
        'Talk 3 to a booking with another address.',
        'Talk 5 to a booking that is not mirrored.',
      ]);
    });

    it('of a contact that is not mirrored is not found', async () => {
      await using api = await openReadApi(engine.fresh);
      await ingestBodies(api.store, [contactDelivery({ id: 'one', version: 0 })]);
      for (const id of ['two', "'", 'x'.repeat(300)])
        expect((await api.get(`/api/contacts/${encodeURIComponent(id)}/timeline`)).status).toBe(404);
      expect(kindsIn((await api.get('/api/contacts/one/timeline')).body)).toEqual(['contact_created']);
    });
  });

/** Two addresses, in other letter case than on the bookings. */
const contactEmails = [
  { email: 'a@example.test', is_primary: true },
  { email: 'b@EXAMPLE.test', is_primary: false },
];

const alert = {
  id: 'alert-1',
  rule: 'no_show',
  channel: 'slack',
  subject_uri: uri('invitees', 'B3'),
  fact: uri('no_shows', '1'),
  occurred_at: january(7, '15:10:00'),
  due_at: january(7, '16:00:00'),
} as const;
