// Random bookings as rows: reschedules with links in both directions, cancellations, no-shows, payments, hosts and time zones.
import fc from 'fast-check';
import type { NewRow } from '#src/store/schema/tables.ts';

type Kind = 'event_types' | 'users' | 'scheduled_events' | 'invitees';
export const uriOf = (kind: Kind, id: number | string): string => `https://api.scheduling.test/${kind}/${id}`;

export type WorldRows = { readonly [Name in Kind]: readonly NewRow<Name>[] };

const hostZones = ['Europe/Berlin', 'America/New_York', 'Asia/Kolkata', null, 'Mars/Olympus'] as const;
const quarter = 15 * 60_000;
const firstStart = Date.parse('2026-03-15T00:00:00Z');

/** Around the changes of clocks in spring. */
const start = fc.integer({ min: 0, max: 30 * 96 }).map((quarters) => firstStart + quarters * quarter);

const booking = fc.record({
  /** The first time, and those it was moved to. */
  starts: fc.oneof({ weight: 3, arbitrary: fc.tuple(start) }, fc.array(start, { minLength: 2, maxLength: 4 })),
  leadMinutes: fc.oneof(fc.nat(3_000), fc.nat(60_000)),
  eventType: fc.option(fc.nat(2)),
  hosts: fc.array(fc.nat(5), { maxLength: 3 }),
  campaign: fc.option(fc.constantFrom('spring', '', 'x')),
  zone: fc.constantFrom('Europe/Berlin', 'Asia/Kathmandu', null, '<b>', 'UTC'),
  ending: fc.constantFrom('ended', 'ended', 'missed', 'host', 'invitee', 'unknown', 'event'),
  payment: fc.option(
    fc.record({
      currency: fc.constantFrom('EUR', 'USD', null),
      amount: fc.nat(500).map((cents) => cents / 10),
      identified: fc.boolean(),
    }),
  ),
});

/** Mostly of many bookings. */
export const bookingWorld = fc.array(booking, { maxLength: 25, size: 'max' });
type World = typeof bookingWorld extends fc.Arbitrary<infer Value> ? Value : never;

const instant = (ms: number): string => new Date(ms).toISOString().replace('Z', '000Z');

export function rowsOfWorld(world: World): WorldRows {
  const events: NewRow<'scheduled_events'>[] = [];
  const invitees: NewRow<'invitees'>[] = [];
  for (const [index, { starts, leadMinutes, eventType, hosts, campaign, zone, ending, payment }] of world.entries()) {
    const bookedMs = (starts[0] ?? 0) - leadMinutes * 60_000;
    for (const [step, startMs] of starts.entries()) {
      const id = `${index}-${step}`;
      const isLast = step === starts.length - 1;
      const isCanceled = !isLast || ['host', 'invitee', 'unknown'].includes(ending);
      events.push({
        uri: uriOf('scheduled_events', id),
        name: 'Meeting',
        status: isLast && ending === 'event' ? 'canceled' : 'active',
        cancellation: isLast && ending === 'event' ? { canceler_type: 'host' } : null,
        canceler_type: isLast && ending === 'event' ? 'host' : null,
        start_time: instant(startMs),
        end_time: instant(startMs + 2 * quarter),
        event_type: eventType === null ? null : uriOf('event_types', eventType),
        hosts: hosts.map((host) => ({ user: uriOf('users', host), user_name: `Host ${host}` })),
      });
      invitees.push({
        uri: uriOf('invitees', id),
        event_uri: uriOf('scheduled_events', id),
        status: isCanceled ? 'canceled' : 'active',
        created_at: instant(bookedMs + step * quarter),
        rescheduled: !isLast,
        old_invitee: step === 0 ? null : uriOf('invitees', `${index}-${step - 1}`),
        new_invitee: isLast ? null : uriOf('invitees', `${index}-${step + 1}`),
        timezone: zone,
        utm_campaign: step === 0 ? campaign : null,
        canceled_at: isCanceled ? instant(startMs - 20 * quarter) : null,
        canceler_type: isLast && (ending === 'host' || ending === 'invitee') ? ending : null,
        no_show_at: isLast && ending === 'missed' ? instant(startMs) : null,
        payment: payment && { amount: payment.amount },
        payment_successful: payment === null ? null : true,
        payment_external_id: payment?.identified ? `payment-${index}` : null,
        payment_provider: payment && 'stripe',
        payment_currency: payment && payment.currency,
        payment_amount: payment && payment.amount,
      });
    }
  }
  return {
    event_types: [0, 1].map((id) => ({ uri: uriOf('event_types', id), name: `Type ${id}` })),
    users: hostZones.map((timezone, id) => ({ uri: uriOf('users', id), name: `User ${id}`, timezone })),
    scheduled_events: events,
    invitees,
  };
}
