// The page Numbers as a person reads it: what each chart says, its table, and where marks lead.
import { describe, it } from 'vitest';
import { refillBookings } from '#src/store/bookings/booking-follower.ts';
import { insertRows } from '#src/store/rows.ts';
import type { Store } from '#src/store/contract.ts';
import { addTimeZones } from '#src/store/time-zones.ts';
import { uriOf } from '../../../../harness/data/booking-world.ts';
import { expectGolden, readPages } from '../../../../harness/golden.ts';
import { openDashboard } from '../../../../harness/mirror/dashboard.ts';
import { oneEngine } from '../../../../harness/stores.ts';

const range = 'from=2026-03-02&to=2026-03-15';
const instant = (ms: number): string => new Date(ms).toISOString().replace('Z', '000Z');

/** Meetings on Tuesdays at nine in Berlin: six with Ada, two of them missed, and one with a host who has too few for a rate. */
async function addBookings(store: Store): Promise<void> {
  const start = Date.parse('2026-03-03T08:00:00Z');
  const booking = (id: number, host: number) => {
    const startMs = start + (id % 2) * 7 * 86_400_000;
    return {
      event: {
        uri: uriOf('scheduled_events', id),
        name: 'Meeting',
        status: 'active',
        start_time: instant(startMs),
        end_time: instant(startMs + 1_800_000),
        event_type: uriOf('event_types', 'demo'),
        hosts: [{ user: uriOf('users', host) }],
      },
      invitee: {
        uri: uriOf('invitees', id),
        event_uri: uriOf('scheduled_events', id),
        status: 'active',
        created_at: instant(startMs - 50 * 3_600_000),
        utm_campaign: 'spring',
        no_show_at: id < 2 ? instant(startMs) : null,
        payment_successful: id === 0 ? true : null,
        payment_amount: id === 0 ? 1_250.5 : null,
        payment_currency: id === 0 ? 'EUR' : null,
      },
    };
  };
  const bookings = [0, 1, 2, 3, 4, 6].map((id) => booking(id, 1)).concat(booking(8, 2));
  await store.transaction(async (unit) => {
    await insertRows(unit, 'event_types', [{ uri: uriOf('event_types', 'demo'), name: 'Demo' }]);
    await insertRows(unit, 'users', [
      { uri: uriOf('users', 1), name: 'Ada', timezone: 'Europe/Berlin' },
      { uri: uriOf('users', 2), name: 'Ben', timezone: 'Europe/Berlin' },
    ]);
    await insertRows(
      unit,
      'scheduled_events',
      bookings.map(({ event }) => event),
    );
    await insertRows(
      unit,
      'invitees',
      bookings.map(({ invitee }) => invitee),
    );
    await refillBookings(unit);
    await addTimeZones(unit, ['Europe/Berlin']);
  });
}

const host = (id: number) => `host=${encodeURIComponent(uriOf('users', id))}`;
const addresses = [
  `/numbers?${range}`,
  '/numbers?from=2026-03-16&to=2026-03-29',
  '/numbers?days=30',
  `/numbers?${range}&${host(1)}`,
  '/numbers?from=2025-12-01&to=2026-06-30&time_zone=invitee',
  `/numbers?${range}&${host(9)}`,
  '/numbers?from=2026-03-02&to=2026-03-01',
];

describe.each(oneEngine)('the page Numbers on $name', ({ available, fresh }) => {
  const open = () => openDashboard(fresh, { clock: () => Date.parse('2026-04-01T12:00:00Z') });

  it.runIf(available)('says above each chart what stands out, and leads from marks to bookings', async () => {
    await using dashboard = await open();
    await addBookings(dashboard.store);
    await expectGolden(await readPages(dashboard, addresses), 'golden/numbers.txt');
  });

  it.runIf(available)('of an empty mirror says what would fill it', async () => {
    await using dashboard = await open();
    await expectGolden(await readPages(dashboard, ['/numbers']), 'golden/numbers-of-nothing.txt');
  });
});
