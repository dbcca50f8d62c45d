// The views after a backfill from the service: its custom fields are columns, its reschedules are journeys.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestBackfill, type TestBackfill } from '../../harness/mirror/test-backfill.ts';
import { openBooker } from '../../harness/sandbox/bookings.ts';
import { rowsOf, storeEngines } from '../../harness/stores.ts';
import { viewRows } from '../../harness/mirror/view-rows.ts';

for (const { name, available, fresh } of storeEngines)
  describe.runIf(available)(`the views of a mirror on ${name}`, () => {
    let world: TestBackfill;
    beforeAll(async () => void (world = await openTestBackfill(fresh, { contacts: 30, bookings: 20 })));
    afterAll(() => world[Symbol.asyncDispose]());

    it('show every custom field of the service as a column of its contacts', async () => {
      await world.run();
      const { body } = await world.sandbox.call('GET', '/contacts/custom_field_definitions');
      const definitions: {
        uri: string;
        label: string;
        field_type: string;
        options?: { uuid: string; label: string }[];
      }[] = body.collection;
      const wide = await viewRows(world.store, 'contacts_wide');
      const own = await rowsOf(world.store, 'contacts');
      expect(wide).toHaveLength(own.length);
      expect(definitions.length).toBeGreaterThan(3);
      const valueOf = (contact: Record<string, unknown>, uri: string): unknown => {
        const { value } =
          (contact['custom_fields'] as { uri: string; value: unknown }[]).find((field) => field.uri === uri) ?? {};
        const { options = [], field_type } = definitions.find((one) => one.uri === uri) ?? {};
        return field_type === 'single_select'
          ? (options.find(({ uuid }) => uuid === value)?.label ?? null)
          : (value ?? null);
      };
      for (const { uri, label } of definitions) {
        const column = label
          .toLowerCase()
          .replaceAll(/[^a-z0-9]+/g, '_')
          .replace(/_$/, '');
        const found = Object.fromEntries(wide.map((row) => [row['uri'], row[column]]));
        expect({ label, found }).toEqual({
          label,
          found: Object.fromEntries(own.map((contact) => [contact['uri'], valueOf(contact, uri)])),
        });
      }
    });

    it('show a booking that was moved twice and then canceled as one journey', async () => {
      const { sandbox } = world;
      const booker = await openBooker(sandbox);
      let { uri } = await booker.booked({ tracking: { utm_source: 'spring' } });
      const first = uri;
      for (const start_time of [booker.freshTime(), booker.freshTime()]) {
        const { body } = await sandbox.control('POST', '/invitees/reschedule', { uri, start_time });
        uri = body.resource.uri;
      }
      await sandbox.control('POST', '/invitees/cancel', { uri, canceler_type: 'host' });
      await world.run();
      const journeys = await viewRows(world.store, 'booking_journeys');
      expect(journeys.filter((row) => row['utm_source'] === 'spring')).toMatchObject([
        { journey_uri: first, last_invitee: uri, invitees: 3, moves: 2, outcome: 'canceled_by_host' },
      ]);
      const placed = journeys.reduce((sum, row) => sum + Number(row['invitees']), 0);
      expect(placed).toBe((await rowsOf(world.store, 'invitees')).length);
    });
  });
