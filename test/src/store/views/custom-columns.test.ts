// What the columns of custom fields are called, whatever their labels are and whatever order they came in.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { columnsFor, namedDefinitions, type Definition } from '#src/store/views/custom-columns.ts';
import { runs } from '../../../harness/runs.ts';

const reserved = new Set(['name', 'uri']);
const label = fc.oneof(
  fc.constantFrom('Name', 'Budget', 'budget!', 'BÜDGET', 'Budget 2', '', '!!!', '予算', '2nd phone', "x'); drop"),
  fc.string({ unit: 'grapheme', maxLength: 80 }),
  fc.constant('long '.repeat(200)),
);
const definitions: fc.Arbitrary<Definition[]> = fc.uniqueArray(
  fc.record({
    uri: fc.nat(40).map((n) => `https://api.example.test/contact_custom_fields/${n}`),
    label: fc.option(label),
    field_type: fc.constant('text'),
    created_at: fc.option(fc.nat(3).map((n) => `2025-01-0${n + 1}T00:00:00.000000Z`)),
  }),
  { selector: ({ uri }) => uri, maxLength: 12 },
);
const one = (uri: string, more: Partial<Definition>): Definition => ({
  uri,
  label: 'Budget',
  field_type: 'text',
  created_at: '2025-01-01T00:00:00.000000Z',
  ...more,
});

describe('the columns of custom fields', () => {
  it('have names of their own, in any order of the definitions the same, of ASCII letters, digits and underscores, that fit into PostgreSQL, and are no column of the contact', () => {
    const shuffled = (list: Definition[]) => fc.shuffledSubarray(list, { minLength: list.length });
    fc.assert(
      fc.property(
        definitions.chain((list) => fc.tuple(fc.constant(list), shuffled(list))),
        ([list, other]) => {
          expect(namedDefinitions(other, reserved)).toEqual(namedDefinitions(list, reserved));
          const names = namedDefinitions(list, reserved).map(([name]) => name);
          expect(new Set(names).size).toBe(list.length);
          for (const name of names) {
            expect(name).toMatch(/^[a-z][a-z0-9_]{0,62}$/);
            expect(reserved).not.toContain(name);
          }
        },
      ),
      runs(150),
    );
  });

  it('keep name and position once they have them, whatever definitions come, change or go', () => {
    fc.assert(
      fc.property(definitions, definitions, (before, after) => {
        const present = columnsFor([], before, reserved);
        const columns = columnsFor(present, after, reserved);
        const fixed = (list: typeof present) =>
          list.map(({ field_uri, column_name, position }) => ({ field_uri, column_name, position }));
        expect(fixed(columns.slice(0, present.length))).toEqual(fixed(present));
        expect(new Set(columns.map(({ column_name }) => column_name)).size).toBe(columns.length);
        for (const { uri, label: now } of after)
          expect(columns.filter(({ field_uri }) => field_uri === uri)).toMatchObject([{ label: now }]);
      }),
      runs(150),
    );
  });

  it('give the words of the label to the oldest, and a digest of its URI to the others', () => {
    const named = namedDefinitions(
      [
        one('https://api.example.test/f/2', { created_at: '2025-01-02T00:00:00.000000Z', label: 'budget!' }),
        one('https://api.example.test/f/3', { label: 'Budget' }),
        one('https://api.example.test/f/1', { created_at: null }),
      ],
      reserved,
    );
    expect(named.map(([name]) => name)).toEqual(['budget', 'budget_18a9a82c', 'budget_6bf2cd47']);
  });

  it('say where a label has no Latin words, begins with a digit, or is a column of the contact', () => {
    const name = (text: string) =>
      namedDefinitions([one('https://api.example.test/f/1', { label: text })], reserved)[0]?.[0];
    expect(name('Größe (cm)')).toBe('grosse_cm');
    expect(name('予算')).toBe('field_6bf2cd47');
    expect(name('2nd phone')).toBe('field_2nd_phone');
    expect(name('NAME')).toBe('custom_name');
  });
});
