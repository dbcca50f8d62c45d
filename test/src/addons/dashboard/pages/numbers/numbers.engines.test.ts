// The page Numbers as a person reads it: what each chart says, its table, and where marks lead.
import { describe, it } from 'vitest';
import { fillBookingInvitees } from '#src/store/bookings/booking-invitees.ts';
import { insertRows } from '#src/store/rows.ts';
import type { Store } from '#src/store/contract.ts';
import { addTimeZones } from '#src/store/time-zones.ts';
import { rowsOfWorld, uriOf } from '../../../../../harness/data/booking-world.ts';
import { expectGolden, readPages } from '../../../../../harness/golden.ts';
import { openDashboard } from '../../../../../harness/mirror/dashboard.ts';
import { oneEngine } from '../../../../../harness/stores.ts';

const range = 'from=2026-03-02&to=2026-03-15';
/** Meetings on Tuesdays at nine in Berlin: six with one host, two of them missed, and one with a host who has too few for a rate and whose time zone is not known. */
async function addBookings(store: Store): Promise<void> {
  const tuesday = Date.parse('2026-03-03T08:00:00Z');
  const payment = { currency: 'EUR', amount: 1_250.5, identified: false } as const;
  const booking = { leadMinutes: 3_000, eventType: 0, campaign: 'spring', zone: null } as const;
  const rows = rowsOfWorld(
    [0, 1, 0, 1, 0, 0, 0].map((week, id) => ({
      ...booking,
      starts: [tuesday + week * 7 * 86_400_000],
      hosts: [id < 6 ? 0 : 1],
      ending: id < 2 ? 'missed' : 'ended',
      payment: id === 0 ? payment : null,
    })),
  );
  await store.transaction(async (unit) => {
    await insertRows(unit, 'event_types', rows.event_types);
    await insertRows(unit, 'users', rows.users);
    await insertRows(unit, 'scheduled_events', rows.scheduled_events);
    await insertRows(unit, 'invitees', rows.invitees);
    await fillBookingInvitees(unit);
    await addTimeZones(unit, ['Europe/Berlin']);
  });
}

const host = (id: number) => `host=${encodeURIComponent(uriOf('users', id))}`;
const addresses = [
  `/numbers?${range}`,
  '/numbers?from=2026-03-16&to=2026-03-29',
  '/numbers?days=30',
  `/numbers?${range}&${host(0)}`,
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
