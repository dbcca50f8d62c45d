// The findings that several rules about bookings share.
import { describe, expect, it } from 'vitest';
import { cancellationFindings, noShowFindings, ownMark } from '#workers/out/alerts/rules/rule.ts';
import { noShowsUpTo } from '#src/read/bookings/booking-context.ts';
import { bookingContext, inviteeUri } from '../../../../harness/data/booking-context.ts';

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
