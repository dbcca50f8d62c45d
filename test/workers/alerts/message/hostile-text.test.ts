// Whatever anybody calls themselves, what is said of them is one line of bounded length that commands no screen.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { passes } from '#workers/alerts/rules/filter.ts';
import { messageOf } from '#workers/alerts/message/messages.ts';
import type { Case } from '#workers/alerts/rules/rule.ts';
import { cutAt, spoken, spokenLines } from '#workers/alerts/message/sanitize-text.ts';
import { caseOf, inviteeUri, rowOf } from '../../../harness/alerts.ts';
import { runs } from '../../../harness/runs.ts';

const anything = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 400 }),
  fc.string({ unit: 'grapheme', maxLength: 400 }),
  // Halves of characters, marks and joiners, as they never come in good faith.
  fc.string({
    unit: fc.constantFrom('\ud83d', '\udc69', '\u200d', '\u0301', '\u202e', '\r', '\n', '\u0000', 'a', ' '),
    maxLength: 400,
  }),
);
const obeyed = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;

/** JSON as anybody may send it, with names that JavaScript asks for when it wants a text. */
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
const oddCases = fc
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
    return { ...caseOf({ invitee, event: { hosts, name } as object }), ...named, contact } as Case;
  });

describe('messages', () => {
  it('are made of whatever JSON stands where a text ought to be, and filters stay able to ask', async () => {
    const template = '{{ name }} {{ host }} {{ event }} {{ contact.company }} {{ contact.Tier }} {{ utm.source }}|';
    const facts = ['https://api.example.test/invitee_no_shows/N1', `booked ${inviteeUri}`, 'canceled then'];
    const occasion = fc.record({
      fact: fc.constantFrom(...facts),
      kind: fc.constantFrom('alert' as const, 'retraction' as const),
      rule: fc.constantFrom({ name: 'r', when: 'vip' }, { name: 'r', when: 'no_show', template }),
    });
    await fc.assert(
      fc.asyncProperty(oddCases, occasion, async (about, input) => {
        const said = await messageOf(
          { dashboardUrl: undefined },
          { id: 'a', about, occurredAt: '2026-11-16T15:10:00.000000Z', ...input },
        );
        const values = [said.title, said.text, ...said.facts.map(({ value }) => value)];
        expect(values.filter((value) => typeof value !== 'string' || value === '')).toEqual([]);
        // The template did not fail either.
        if (input.rule.template) expect(said.text).toMatch(/\|$/);
        expect(values.join()).not.toContain('[object');
        expect(passes({ host: ['grace'] }, about)).toBe(false);
        expect(passes({ contact: { Tier: 'gold' } }, about)).toBe(false);
      }),
      runs(500),
    );
  });
});

describe('words', () => {
  it('are one bounded line, and the same when said again', () => {
    fc.assert(
      fc.property(anything, fc.integer({ min: 5, max: 200 }), (text, longest) => {
        const said = spoken(text, longest);
        return said.length <= longest && said.isWellFormed() && !obeyed.test(said) && spoken(said, longest) === said;
      }),
      runs(500),
    );
  });

  it('are bounded over several lines too', () => {
    fc.assert(
      fc.property(anything, fc.integer({ min: 5, max: 200 }), (text, longest) => {
        const said = spokenLines(text, longest);
        return said.length <= longest && said.isWellFormed() && !obeyed.test(said.replaceAll('\n', ''));
      }),
      runs(500),
    );
  });

  it('are left alone where they are short enough', () => {
    fc.assert(
      fc.property(anything, (text) => cutAt(text, text.length) === text),
      runs(500),
    );
  });
});
