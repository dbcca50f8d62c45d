// Hostile input: whatever an invitee sends, a message shows it as one line of bounded length without control characters.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchesFilter } from '#workers/out/alerts/rules/filter.ts';
import { buildMessage } from '#workers/out/alerts/message/message.ts';
import type { BookingFact } from '#workers/out/alerts/rules/fact.ts';
import type { BookingContext } from '#src/read/bookings/booking-context.ts';
import { sanitizeLine, sanitizeLines } from '#workers/out/alerts/message/sanitize-text.ts';
import { anyText } from '../../../../harness/data/any-text.ts';
import { bookingContext, inviteeUri, rowOf } from '../../../../harness/data/booking-context.ts';
import { runs } from '../../../../harness/runs.ts';

const anything = fc.oneof(
  anyText({ maxLength: 400 }),
  fc.string({ unit: 'grapheme', maxLength: 400 }),
  // Half surrogate pairs, combining marks and joiners.
  fc.string({
    unit: fc.constantFrom('\ud83d', '\udc69', '\u200d', '\u0301', '\u202e', '\r', '\n', '\u0000', 'a', ' '),
    maxLength: 400,
  }),
);
const unsafe = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;

/** Arbitrary JSON, with property names that JavaScript uses when it converts a value to a string. */
const { odd } = fc.letrec((tie) => ({
  odd: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'odd' },
    fc.constantFrom(null, true, 0, -1, 1e300, '', 'Ada'),
    fc.array(tie('odd'), { maxLength: 3, depthIdentifier: 'odd' }),
    fc.dictionary(
      fc.constantFrom('toString', 'valueOf', 'toJSON', 'then', 'toLiquid', 'user', 'user_name', 'user_email', 'length'),
      tie('odd'),
      { maxKeys: 4, depthIdentifier: 'odd' },
    ),
  ),
}));
const host = fc.record({ user: odd, user_name: odd, user_email: odd }, { requiredKeys: [] });
const texts = ['name', 'first_name', 'last_name', 'email', 'cancel_reason', 'utm_source'] as const;
const oddContexts = fc
  .record({
    hosts: fc.oneof(odd, fc.array(fc.oneof(host, odd), { maxLength: 3 })),
    invitee: fc.record(Object.fromEntries(texts.map((name) => [name, odd])), { requiredKeys: [] }),
    names: fc.record({ name: odd, eventTypeName: odd, hostTimezone: odd }),
    company: odd,
    field: odd,
  })
  .map(({ hosts, invitee, names: { name, ...named }, company, field }) => {
    const row = { ...rowOf('contacts', { uri: 'c' }), company };
    const contact = { row, fields: new Map([['Tier', field]]) };
    return { ...bookingContext({ invitee, event: { hosts, name } as object }), ...named, contact } as BookingContext;
  });

describe('messages', () => {
  it('are built from any JSON in place of a string, and filters can evaluate it', async () => {
    const template = '{{ name }} {{ host }} {{ event }} {{ contact.company }} {{ contact.Tier }} {{ utm.source }}|';
    const facts: readonly BookingFact[] = [
      { kind: 'no_show', noShowUri: 'https://api.example.test/invitee_no_shows/N1' },
      { kind: 'booked', inviteeUri },
      { kind: 'canceled', at: 'then' },
      { kind: 'suspected_no_show' },
      { kind: 'unconfirmed', evening: '2026-11-16T18:00:00.000000Z' },
    ];
    const rule = { name: 'r', title: 'VIP', about: 'About.' };
    const occasion = fc.record({
      fact: fc.constantFrom(...facts),
      kind: fc.constantFrom('alert' as const, 'retraction' as const),
      rule: fc.constantFrom({ ...rule }, { ...rule, template }),
    });
    await fc.assert(
      fc.asyncProperty(oddContexts, occasion, async (context, { fact, ...input }) => {
        const {
          title,
          text,
          facts: shown,
        } = await buildMessage(
          { adminUrl: undefined },
          { id: 'a', about: { context, fact }, occurredAt: '2026-11-16T15:10:00.000000Z', ...input },
        );
        const values = [title, text, ...shown.map(({ value }) => value)];
        expect(values.filter((value) => typeof value !== 'string' || value === '')).toEqual([]);
        // The template did not fail either.
        if ('template' in input.rule && input.kind === 'alert') expect(text).toMatch(/\|$/);
        expect(values.join()).not.toContain('[object');
        expect(matchesFilter({ host: ['grace'] }, context)).toBe(false);
        expect(matchesFilter({ contact: { Tier: 'gold' } }, context)).toBe(false);
      }),
      runs(200),
    );
  });
});

describe('sanitized text', () => {
  it('is one bounded line, or several within a bound, and sanitizing a line again changes nothing', () => {
    fc.assert(
      fc.property(anything, fc.integer({ min: 5, max: 200 }), (text, maxLength) => {
        const [line, lines] = [sanitizeLine(text, maxLength), sanitizeLines(text, maxLength)];
        for (const shown of [line, lines.replaceAll('\n', '')]) expect(shown).not.toMatch(unsafe);
        for (const shown of [line, lines])
          expect([shown.length <= maxLength, shown.isWellFormed()]).toEqual([true, true]);
        expect(sanitizeLine(line, maxLength)).toBe(line);
      }),
      runs(200),
    );
  });
});
