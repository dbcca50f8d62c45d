// An important contact books, cancels or does not show up. The fields of the contact decide who is important.
import { z } from 'zod';
import { fieldValues, matchesContact } from '#workers/out/alerts/rules/filter.ts';
import {
  cancellationFindings,
  defineRule,
  noShowFindings,
  type FactTime,
  type Finding,
} from '#workers/out/alerts/rules/rule.ts';
import { type BookingContext } from '#src/read/bookings/booking-context.ts';

const occasions = ['booked', 'canceled', 'no_show'] as const;

export const vip = defineRule({
  when: 'vip',
  title: 'VIP',
  titles: { booked: 'VIP booking', canceled: 'VIP cancellation', no_show: 'VIP no-show' },
  about: 'An important contact booked, canceled or did not show up.',
  page: '/bookings',
  options: {
    contact: fieldValues.refine((fields) => Object.keys(fields).length > 0, 'must have at least one field'),
    on: z.array(z.enum(occasions)).min(1).default(['no_show']),
  },
  factTimes: ({ on }) => on.map((one) => factTimes[one]),
  reads: 'contact',
  find({ contact: fields, on }, context) {
    if (!matchesContact(fields, context)) return [];
    // Each occasion is a fact of its own: a no-show does not retract the alert about the booking.
    return occasions.flatMap((one) => (on.includes(one) ? findings[one](context) : []));
  },
});

type Occasion = (typeof occasions)[number];

const factTimes: Readonly<Record<Occasion, FactTime>> = {
  booked: 'created_at',
  canceled: 'canceled_at',
  no_show: 'no_show_at',
};

const findings: Readonly<Record<Occasion, (context: BookingContext) => readonly Finding[]>> = {
  booked: ({ invitee: { uri, created_at: at, status } }) =>
    at === null || status === 'canceled' ? [] : [{ fact: { kind: 'booked', inviteeUri: uri }, occurredAt: at }],
  canceled: cancellationFindings,
  no_show: noShowFindings,
};
