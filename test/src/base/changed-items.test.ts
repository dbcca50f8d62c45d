import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '#schemas/wire.ts';
import { changedItems, optionLabelsOf } from '#src/base/changed-items.ts';
import { propertyTimeoutMs, runs } from '../../harness/runs.ts';

const field = (id: string, value: unknown, label = id) => ({ uri: `https://example.com/${id}`, label, value });

describe('what changed in a column', () => {
  it('is named by the label of a custom field and of its options', () => {
    const options = optionLabelsOf([{ options: [{ uuid: 'u1', label: 'Gold' }] }, {}]);
    const before = [field('Budget', null), field('Tier', null), field('Topics', []), field('Note', 'as it was')];
    const after = [
      field('Budget', 12000),
      field('Tier', 'u1'),
      field('Topics', ['u1', 'x']),
      field('Note', 'as it was'),
    ];
    expect(changedItems('custom_fields', [before, after], options)).toEqual([
      { item: 'Budget', before: null, after: 12000 },
      { item: 'Tier', before: null, after: 'Gold' },
      { item: 'Topics', before: [], after: ['Gold', 'x'] },
    ]);
    // A new contact: fields without a value say nothing.
    expect(changedItems('custom_fields', [null, after.slice(0, 1).concat(before[1] ?? [])])).toEqual([
      { item: 'Budget', before: undefined, after: 12000 },
    ]);
  });

  it('is an item that was added or removed, or a field of one that stayed', () => {
    const [ada, bob] = [
      { email: 'ada@example.com', is_primary: true },
      { email: 'bob@example.com', is_primary: false },
    ];
    expect(changedItems('emails', [[bob], [ada, { ...bob, is_primary: true }]])).toEqual([
      { item: 'bob@example.com, is primary', before: false, after: true },
      { item: '', before: undefined, after: 'ada@example.com (is primary)' },
    ]);
    expect(
      changedItems('emails', [
        [ada, bob],
        [bob, ada],
      ]),
    ).toEqual([{ item: 'order', before: [ada.email, bob.email], after: [bob.email, ada.email] }]);
    const host = { user: 'https://example.com/users/1', user_name: 'Rafael Silva', user_email: 'r@example.com' };
    expect(changedItems('hosts', [[host], []])).toEqual([
      { item: '', before: 'Rafael Silva (user email: r@example.com)', after: undefined },
    ]);
    const answers = [{ question: 'How many?', answer: '2', position: 0 }];
    expect(changedItems('questions_and_answers', [answers, [{ ...answers[0], answer: '3' }]])).toEqual([
      { item: 'How many?', before: '2', after: '3' },
    ]);
  });

  it('is a field of an object, and a plain value as a whole', () => {
    const tracking = { utm_source: 'a', utm_medium: null };
    expect(changedItems('tracking', [tracking, { ...tracking, utm_medium: 'mail' }])).toEqual([
      { item: 'utm medium', before: null, after: 'mail' },
    ]);
    expect(changedItems('company', ['Old Ltd', 'New Ltd'])).toEqual([
      { item: '', before: 'Old Ltd', after: 'New Ltd' },
    ]);
    expect(changedItems('tracking', [null, { utm_source: null }])).toEqual([
      { item: '', before: null, after: { utm_source: null } },
    ]);
    expect(changedItems('guests', ['none', []])).toEqual([{ item: '', before: 'none', after: [] }]);
  });

  const name = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
  const value = fc.oneof(fc.integer({ min: 1, max: 3 }), fc.constantFrom('x', 'y'));

  it(
    'never names an item that stayed as it is, and names every other one, in any order',
    { timeout: propertyTimeoutMs },
    () => {
      const edit = fc.record({ name, before: fc.option(value), after: fc.option(value) });
      fc.assert(
        fc.property(fc.uniqueArray(edit, { selector: (each) => each.name }), fc.boolean(), (edits, isReversed) => {
          const side = (which: 'before' | 'after') =>
            edits.flatMap((each) => (each[which] === null ? [] : [field(each.name, each[which])]));
          const after = isReversed ? side('after').toReversed() : side('after');
          const changed = edits.filter((each) => each.before !== each.after);
          fc.pre(changed.length > 0);
          const shown = changedItems('custom_fields', [side('before'), after]);
          const sorted = (list: readonly object[]) => list.map(canonicalJson).toSorted();
          expect(
            sorted(shown.map((each) => ({ ...each, before: each.before ?? null, after: each.after ?? null }))),
          ).toEqual(sorted(changed.map((each) => ({ item: each.name, before: each.before, after: each.after }))));
        }),
        runs(150),
      );
    },
  );

  it('is something for any two values that differ', { timeout: propertyTimeoutMs }, () => {
    const column = fc.constantFrom('custom_fields', 'emails', 'hosts', 'questions_and_answers', 'tracking', 'speakers');
    const item = fc.oneof(
      fc.record({ uri: name, label: name, value: fc.option(value) }, { requiredKeys: [] }),
      fc.record({ email: name, is_primary: fc.boolean() }),
      fc.record({ question: name, answer: fc.option(value), position: fc.nat(2) }),
      fc.jsonValue({ maxDepth: 2 }),
    );
    const any = fc.oneof(fc.array(item, { maxLength: 4 }), fc.jsonValue({ maxDepth: 2 }));
    fc.assert(
      fc.property(column, any, any, (where, before, after) => {
        fc.pre(canonicalJson(before) !== canonicalJson(after));
        const shown = changedItems(where, [before, after]);
        expect(shown.length).toBeGreaterThan(0);
        for (const each of shown)
          expect(canonicalJson(each.before ?? null)).not.toBe(canonicalJson(each.after ?? null));
      }),
      runs(150),
    );
  });
});
