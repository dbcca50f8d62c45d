// What every rule about bookings builds on: its definition, and the findings that several rules share.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { cancellationFindings, defineRule, noShowFindings, ownMark } from '#workers/alerts/rules/rule.ts';
import { contextColumns, noShowsUpTo } from '#src/read/bookings/booking-context.ts';
import { bookingContext, inviteeUri } from '../../../harness/data/booking-context.ts';

const at = (day: number) => `2026-11-${String(day).padStart(2, '0')}T00:00:00.000000Z`;
const mark = (day: number, of = `invitee ${day}`) => ({
  inviteeUri: of,
  noShowUri: `mark ${day}`,
  markedAt: at(day),
});

describe('the findings of a booking', () => {
  it('are its own open mark, not those of other bookings of the person', () => {
    const own = mark(2, inviteeUri);
    const context = bookingContext({ known: { marks: [mark(1), own, mark(3)] } });
    expect(ownMark(context)).toBe(own);
    expect(noShowFindings(context)).toEqual([{ fact: { kind: 'no_show', noShowUri: 'mark 2' }, occurredAt: at(2) }]);
    expect(noShowFindings(bookingContext({ known: { marks: [mark(1)] } }))).toEqual([]);
  });

  it('count the marks of the person up to its own, within the window', () => {
    const marks = [1, 2, 3, 4].map((day) => mark(day));
    const count = (day: number, days?: number) =>
      noShowsUpTo(mark(day), bookingContext({ known: { marks } }), days === undefined ? days : days * 86_400_000);
    expect([count(3), count(1), count(3, 1), count(3, 1.5), count(4, 3)]).toEqual([3, 1, 1, 2, 3]);
  });

  it('are its cancellation, unless it was rescheduled', () => {
    const canceled = { status: 'canceled', canceled_at: at(1), rescheduled: false, new_invitee: null };
    const found = (changes: object) =>
      cancellationFindings(bookingContext({ invitee: { ...canceled, ...changes } })).length;
    expect(cancellationFindings(bookingContext({ invitee: canceled }))).toEqual([
      { fact: { kind: 'canceled', at: at(1) }, occurredAt: at(1) },
    ]);
    const others = [{ status: 'active' }, { canceled_at: null }, { rescheduled: true }, { new_invitee: inviteeUri }];
    expect([found({ rescheduled: null }), ...others.map(found)]).toEqual([1, 0, 0, 0, 0]);
  });
});

describe('a kind of rule', () => {
  const definition = {
    when: 'a',
    title: 'b',
    about: 'c',
    page: 'd',
    options: { hours: z.number() },
    factTimes: () => ['created_at'] as const,
    find: ({ hours }: { hours: number }, { invitee }: ReturnType<typeof bookingContext>, zone: string) => [
      { fact: { kind: 'canceled', at: `${hours} ${invitee.uri} ${zone}` } as const, occurredAt: at(1) },
    ],
  };

  it('has what its definition says, and its options in what it finds', () => {
    const { options: _options, bind, ...kind } = defineRule({ ...definition, reads: 'marks', titles: { booked: 'e' } });
    expect(kind).toEqual({
      when: 'a',
      title: 'b',
      about: 'c',
      page: 'd',
      reads: 'marks',
      titles: { booked: 'e' },
      isReport: false,
    });
    const bound = bind({ hours: 5 }, 'UTC');
    expect(bound).toMatchObject({ factTimes: ['created_at'], noShowWindowMs: undefined, evening: undefined });
    expect(bound.find(bookingContext())[0]?.fact).toEqual({ kind: 'canceled', at: `5 ${inviteeUri} UTC` });
    expect(() => bind({ hours: 'x' }, 'UTC')).toThrow(z.ZodError);
  });

  it('may have a window and be a report in the evening', () => {
    const kind = defineRule({ ...definition, noShowWindowMs: ({ hours }) => hours, reportsAt: () => '18:00' });
    expect(kind.isReport).toBe(true);
    expect(kind.bind({ hours: 5 }, 'Europe/Berlin')).toMatchObject({
      noShowWindowMs: 5,
      evening: { at: '18:00', zone: 'Europe/Berlin' },
    });
  });

  it('reads what filters, texts and templates use', () => {
    expect(contextColumns.invitees).toEqual(expect.arrayContaining(['uri', 'email', 'new_invitee', 'utm_term']));
    expect(contextColumns.scheduled_events).toEqual(expect.arrayContaining(['uri', 'start_time', 'hosts']));
    expect(contextColumns.contacts).toEqual(expect.arrayContaining(['uri', 'company', 'custom_fields', 'as_of']));
  });
});
