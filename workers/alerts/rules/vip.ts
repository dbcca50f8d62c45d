// Somebody who matters books, cancels or does not show up. Who matters is a matter of their contact's fields.
import { z } from 'zod';
import { fieldValue, matchesField } from './contact-match.ts';
import { defineRule, ownMark, type Case, type Finding } from './rule.ts';

const occasions = ['booked', 'canceled', 'no_show'] as const;

export const vip = defineRule({
  when: 'vip',
  title: 'VIP',
  about: 'Somebody who matters booked, canceled or did not show up.',
  options: {
    /** Of the contact, by its own name (`company`) or the label of a custom field. All must match. */
    contact: z
      .record(z.string().min(1), fieldValue)
      .refine((fields) => Object.keys(fields).length > 0, 'at least one field'),
    on: z.array(z.enum(occasions)).min(1).default(['no_show']),
  },
  moments: ({ on }) => on.map((one) => moments[one]),
  looksAt: 'contact',
  find({ contact: wanted, on }, known) {
    const { contact } = known;
    if (contact === undefined) return [];
    const isVip = Object.entries(wanted).every(([name, value]) => matchesField(contact, name, value));
    // A booking that is missed was booked all the same: one does not take the other back.
    return isVip ? occasions.flatMap((one) => (on.includes(one) ? (found[one](known) ?? []) : [])) : [];
  },
});

const moments = { booked: 'created_at', canceled: 'canceled_at', no_show: 'no_show_at' } as const;

const found: Readonly<Record<(typeof occasions)[number], (known: Case) => Finding | undefined>> = {
  booked: ({ invitee: { uri, created_at: at, status } }) =>
    at === null || status === 'canceled' ? undefined : { fact: `booked ${uri}`, occurredAt: at },
  canceled: ({ invitee: { canceled_at: at, status, rescheduled, new_invitee: next } }) =>
    at === null || status !== 'canceled' || rescheduled === true || next !== null
      ? undefined
      : { fact: `canceled ${at}`, occurredAt: at },
  no_show: (known) => {
    const mark = ownMark(known);
    return mark && { fact: mark.noShowUri, occurredAt: mark.markedAt };
  },
};
