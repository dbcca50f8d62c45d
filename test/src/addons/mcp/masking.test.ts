// What a model may ask of each column and what it sees of it, while people are masked: every operator and every form of a value, for every
// content that a column can hold.
import { describe, expect, it } from 'vitest';
import { hidden, MarkedValue, render, type Presentation } from '#src/addons/mcp/marked.ts';
import { askable, checkQuestion, hasPages, maskedCell, uses, usesOf, type Use } from '#src/addons/mcp/masking.ts';
import type { Condition, Question, Value } from '#src/read/tables/question.ts';
import { commonRelations, type Relation, type RelationColumn } from '#src/read/tables/relation.ts';

const contents = ['plain', 'person', 'text'] as const;
type Holds = (typeof contents)[number];

const columnThat = (holds: Holds): RelationColumn => ({
  kind: 'text',
  about: '',
  holds,
  isRequired: false,
  isForAdmins: false,
  joins: undefined,
  oneOf: undefined,
});
const relation: Relation = {
  name: 'some_table',
  isView: false,
  isForAdmins: false,
  about: '',
  key: ['plain'],
  columns: Object.fromEntries(contents.map((holds) => [holds, columnThat(holds)])),
  fast: [],
  lookUp: undefined,
};

const asked = (given: Partial<Question>): Question => ({
  where: [],
  select: [{ name: 'plain', column: 'plain', aggregate: undefined }],
  isGrouped: false,
  order: [],
  limit: undefined,
  ...given,
});
const test = (column: string, operator: string, isNegated = false): Condition => {
  const value: Value = 'x';
  const more = { value: operator === 'is' ? null : value, values: [value], pattern: [value] };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it has the fields of every operator
  return { column, isNegated, operator, ...more } as unknown as Condition;
};
const group = (operator: 'and' | 'or', isNegated: boolean, ...parts: readonly Condition[]): Condition => ({
  operator,
  isNegated,
  parts,
});

/** Each way to use a column, alone and within groups. */
function questionsWith(use: Use, column: string): readonly Question[] {
  switch (use) {
    case 'order':
      return [asked({ order: [{ name: column, isDescending: true }] })];
    case 'count':
      return [
        asked({
          isGrouped: true,
          select: [
            { name: column, column, aggregate: undefined },
            { name: 'count', column: undefined, aggregate: 'count' },
          ],
        }),
      ];
    case 'sum':
    case 'avg':
    case 'min':
    case 'max':
      return [asked({ isGrouped: true, select: [{ name: `${use}_${column}`, column, aggregate: use }] })];
    case 'not':
      return [
        asked({ where: [test(column, 'eq', true)] }),
        asked({ where: [test(column, 'in', true)] }),
        asked({ where: [group('and', true, test(column, 'eq'))] }),
        asked({ where: [group('or', true, test('plain', 'eq'), group('and', false, test(column, 'in')))] }),
        // Twice the opposite is refused as well.
        asked({ where: [group('or', true, test(column, 'eq', true))] }),
      ];
    default:
      return [
        asked({ where: [test(column, use)] }),
        asked({ where: [group('or', false, test('plain', 'eq'), test(column, use))] }),
        asked({ where: [group('or', false, group('and', false, test(column, use)))] }),
      ];
  }
}

/** Written down once more, so that the list cannot grow unseen. */
const allowed: Readonly<Record<Holds, readonly Use[]>> = {
  plain: uses,
  person: ['eq', 'in', 'is'],
  text: ['is'],
};

describe('a question to masked columns', () => {
  it('is judged by one list, which has every operator of the door', () => {
    expect(askable).toEqual(allowed);
    expect(uses).toHaveLength(17);
  });

  it.each(contents.flatMap((holds) => uses.map((use) => ({ holds, use }))))(
    'that uses a column that holds $holds with $use',
    ({ holds, use }) => {
      for (const question of questionsWith(use, holds)) {
        const ask = () => checkQuestion(relation, question);
        if (allowed[holds].includes(use)) expect(ask).not.toThrow();
        else
          expect(ask).toThrow(expect.objectContaining({ status: 400, message: expect.stringMatching(`^${holds}: `) }));
      }
    },
  );

  it('has pages unless the key is masked, which docs/mcp.md names', () => {
    const masked = commonRelations().filter((each) => !each.isForAdmins && !hasPages(each));
    expect(masked.map(({ name }) => name)).toEqual(['contact_emails', 'contact_phone_numbers', 'no_show_rate']);
  });

  it('asks whether there is a value, also in the negative', () => {
    for (const holds of contents)
      for (const where of [
        [test(holds, 'is', true)],
        [group('and', true, test(holds, 'is'))],
        [group('or', true, test(holds, 'is', true))],
      ])
        expect(() => checkQuestion(relation, asked({ where }))).not.toThrow();
  });

  it('compares with a value by is.true and is.false', () => {
    for (const value of [true, false]) {
      const ask = (column: Holds, isNegated: boolean) => () =>
        checkQuestion(relation, asked({ where: [{ column, operator: 'is', value, isNegated }] }));
      expect(ask('plain', true)).not.toThrow();
      expect(ask('person', false)).not.toThrow();
      expect(ask('person', true)).toThrow('negated');
      expect(ask('text', false)).toThrow('masked');
    }
  });

  it('may look for a kind of event or the subject of a delivery by its whole name', () => {
    const log = commonRelations().find(({ name }) => name === 'event_log');
    if (log === undefined) throw new Error('there is the log');
    for (const column of ['event', 'subject_uri']) {
      expect(usesOf(log, column)).toEqual(allowed.person);
      const negated = asked({ where: [test(column, 'eq', true)] });
      expect(() => checkQuestion(log, negated)).toThrow(expect.objectContaining({ status: 400 }));
    }
  });
});

const forms: Readonly<Record<string, unknown>> = {
  words: 'Ada Lovelace',
  'a word of the service': 'canceled',
  'an address': 'ada@example.test',
  'a URI': 'https://api.example.test/contacts/ada-lovelace',
  'another URI': 'https://example.test/ada-lovelace',
  'a time': '2026-01-01T00:00:00.000000Z',
  'a day': '2026-01-01',
  'a kind of event': 'invitee.created',
  'a number': 4_930_555_019,
  'a flag': true,
  'a list': ['ada@example.test', 'Ada'],
  'a record': { name: 'Ada', at: '2026-01-01' },
};
const isMasked = (presented: Presentation): boolean =>
  Array.isArray(presented)
    ? presented.every(isMasked)
    : presented instanceof MarkedValue && ['person', 'text'].includes(presented.kind);
/** Names that hosts gave, kinds of events, and what is no tag: `marked.test.ts` says how each is examined. */
const examined: Readonly<Record<string, readonly string[]>> = {
  label: [
    'event_types.name',
    'routing_forms.name',
    'routing_funnel.routing_form_name',
    'unbooked_submissions.routing_form_name',
  ],
  eventType: ['bookings', 'bookings_daily', 'payments', 'revenue', 'unbooked_submissions'].map(
    (view) => `${view}.event_type_name`,
  ),
  plain: ['event_log.event'],
};

describe('a value of a masked column', () => {
  it.each(Object.entries(forms))('is hidden or a pseudonym in the form of %s, whatever the table', (form, value) => {
    const shown: Record<string, string[]> = {};
    let masked = 0;
    for (const each of commonRelations())
      for (const [column, { holds }] of Object.entries(each.columns)) {
        if (holds === 'plain') continue;
        const presented = maskedCell({ relation: each, column, row: { [column]: value } }, value);
        if (isMasked(presented)) masked += 1;
        else
          (shown[presented instanceof MarkedValue ? presented.kind : 'as it is'] ??= []).push(`${each.name}.${column}`);
      }
    const { plain = [], ...names } = examined;
    const isText = typeof value === 'string';
    const expected = isText ? { ...names, ...(form === 'a kind of event' && { plain }) } : {};
    expect(Object.fromEntries(Object.entries(shown).map(([kind, paths]) => [kind, paths.toSorted()]))).toEqual(
      expected,
    );
    expect(masked).toBeGreaterThan(100);
  });

  it('of a delivery is shown where its kind is known', () => {
    const log = commonRelations().find(({ name }) => name === 'event_log');
    if (log === undefined) throw new Error('there is the log');
    const kindOf = (row: object) => {
      const contact = 'https://api.example.test/contacts/1';
      const presented = maskedCell({ relation: log, column: 'subject_uri', row: { ...row } }, contact);
      return presented instanceof MarkedValue ? presented.kind : presented;
    };
    expect([kindOf({ event: 'contact.created' }), kindOf({ event: 'ada.lovelace' }), kindOf({})]).toEqual([
      'uri',
      'text',
      'text',
    ]);
  });

  it('of a rate is shown unless it is a tag', () => {
    const rates = commonRelations().find(({ name }) => name === 'no_show_rate');
    if (rates === undefined) throw new Error('there is the view');
    const kindOf = (value: string, row: object) => {
      const presented = maskedCell({ relation: rates, column: 'value', row: { ...row } }, value);
      return presented instanceof MarkedValue ? presented.kind : presented;
    };
    const host = 'https://api.example.test/users/1';
    expect([
      kindOf(host, { dimension: 'host_month' }),
      kindOf('1-09', { dimension: 'weekday_hour' }),
      kindOf(host, { dimension: 'utm_campaign' }),
      kindOf('1-09', {}),
    ]).toEqual(['uri', 'plain', 'text', 'text']);
  });
});

describe('a value of a plain column', () => {
  const plain = (kind: RelationColumn['kind'], value: unknown, oneOf?: readonly string[]) => {
    const columns = { some: { ...columnThat('plain'), kind, oneOf } };
    const presented = maskedCell({ relation: { ...relation, columns }, column: 'some', row: { some: value } }, value);
    return render(presented, { isRevealed: false, pseudonym: String, eventTypes: new Set(), mostText: 100 });
  };

  it('is shown', () => {
    for (const [kind, value] of [
      ['text', 'EUR'],
      ['text', 'https://api.example.test/contacts/1'],
      ['time', '2026-01-01T00:00:00.000000Z'],
      ['date', '2026-01-01'],
      ['integer', 7],
      ['number', 7.5],
      ['flag', false],
      ['json', { no_show: { uri: 'https://api.example.test/no_shows/1', at: '2026-01-01' }, counts: [1, null, true] }],
    ] as const)
      if (kind !== 'json') expect([kind, plain(kind, value)]).toEqual([kind, value]);
      else expect(plain(kind, value)).toMatchObject({ no_show: { at: '2026-01-01' }, counts: [1, null, true] });
    expect(plain('text', 'host', ['host', 'invitee'])).toBe('host');
  });

  it('is hidden where it does not look like what it should be', () => {
    for (const [kind, value] of [
      ['text', 'write to ada@example.test'],
      ['text', 'https://example.test/ada-lovelace'],
      ['text', 'mailto:ada'],
      ['time', 'Ada'],
      ['date', 'Ada'],
      ['integer', 'Ada'],
    ] as const)
      expect([kind, plain(kind, value)]).toEqual([kind, hidden]);
    expect(plain('json', ['Ada', { name: 'Ada' }])).toEqual([hidden, { name: hidden }]);
    expect(plain('text', 'Ada', ['host', 'invitee'])).toBe(hidden);
  });
});
