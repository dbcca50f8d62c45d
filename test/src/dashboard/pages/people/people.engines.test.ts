// The page of people, and what the page of a contact says of the person.
import { describe, expect, it } from 'vitest';
import { contactDelivery } from '../../../../harness/data/contact-deliveries.ts';
import { ingestCountedBookings } from '../../../../harness/data/counted-bookings.ts';
import { openDashboard } from '../../../../harness/mirror/dashboard.ts';
import { ingestBodies, storeEngines } from '../../../../harness/stores.ts';

const hostile = '<script>alert(1)</script>"><img src=x onerror=alert(1)>\u202e';
const emails = (...addresses: readonly string[]) => ({
  emails: addresses.map((email, index) => ({ email, is_primary: index === 0 })),
});
const keysIn = (html: string) => [...html.matchAll(/data-key="[^"]*\/([^"/]*)"/g)].map(([, key]) => key);

for (const engine of storeEngines)
  describe.runIf(engine.available)(`the page of people on ${engine.name}`, () => {
    async function openWorld() {
      const dashboard = await openDashboard(engine.fresh);
      await ingestBodies(dashboard.store, [
        contactDelivery({
          id: 'one',
          version: 0,
          more: { name: hostile, ...emails('a@example.test', 'b@example.test') },
        }),
        contactDelivery({
          id: 'two',
          version: 0,
          more: { name: 'Ada', ...emails('B@example.test', 'c@example.test') },
        }),
      ]);
      return dashboard;
    }

    it('lists a person with two contacts once, with all addresses, and finds them by any of these', async () => {
      await using dashboard = await openWorld();
      for (const query of ['', '?email=C@example.test', '?name=ada']) {
        const { html } = await dashboard.page(`/people${query}`);
        expect(keysIn(html)).toEqual(['one']);
        expect(html).toContain('a@example.test, b@example.test, c@example.test');
        expect(html).not.toContain(hostile);
      }
      expect((await dashboard.page('/people?email=none@example.test')).html).toContain('No one matches');
    });

    it('and the pages of contacts show the meetings that are booked, and fold away what the service computed', async () => {
      await using dashboard = await openDashboard(engine.fresh);
      const contact = contactDelivery({
        id: 'one',
        version: 0,
        more: { ...emails('a@example.test'), next_meeting_date: '2031-05-05T10:00:00.000000Z' },
      });
      const meeting = (id: string, start: string) =>
        JSON.stringify({
          event: 'invitee.created',
          created_at: '2025-01-01T00:00:00.000000Z',
          payload: {
            uri: `https://api.example.test/scheduled_events/${id}/invitees/${id}`,
            email: 'A@example.test',
            status: 'active',
            event: `https://api.example.test/scheduled_events/${id}`,
            created_at: '2025-01-01T00:00:00.000000Z',
            updated_at: '2025-01-01T00:00:00.000000Z',
            scheduled_event: {
              uri: `https://api.example.test/scheduled_events/${id}`,
              status: 'active',
              start_time: start,
              end_time: start,
            },
          },
        });
      await ingestBodies(dashboard.store, [
        contact,
        meeting('past', '2025-01-03T10:00:00.000000Z'),
        meeting('next', '2032-05-05T10:00:00.000000Z'),
      ]);
      const list = (await dashboard.page('/contacts')).html;
      expect(list).toMatch(/data-label="Last meeting">\s*<time datetime="2025-01-03/);
      expect(list).toMatch(/data-label="Next meeting">\s*<time datetime="2032-05-05/);
      const [shown = '', folded = ''] = (await dashboard.page('/contacts/one')).html.split('<details>');
      expect(shown).toMatch(/<dt>Next meeting<\/dt><dd><time datetime="2032-05-05/);
      expect(shown).toMatch(/<dt>Last meeting<\/dt><dd><time datetime="2025-01-03/);
      expect(shown).not.toContain('2031');
      expect(folded).toMatch(
        /As the service says, last read <time.*<dt>Next meeting<\/dt><dd><time datetime="2031-05-05/s,
      );
    });

    it('links people without a contact to their bookings', async () => {
      await using dashboard = await openWorld();
      await ingestCountedBookings(dashboard.store);
      const { html } = await dashboard.page('/people?contact=false');
      expect(keysIn(html).length).toBeGreaterThan(0);
      expect(html).toMatch(/href="\/bookings\?email=[^"]+"/);
    });

    it('and the page of each of the contacts show the same person', async () => {
      await using dashboard = await openWorld();
      for (const [id, other] of [
        ['one', 'two'],
        ['two', 'one'],
      ]) {
        const { html } = await dashboard.page(`/contacts/${id}`);
        expect(html).toContain('c@example.test');
        expect(html).toContain(`<a href="/contacts/${other}">`);
      }
    });
  });
