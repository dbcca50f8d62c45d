// What the declaration of every column must say.
import { describe, expect, expectTypeOf, it } from 'vitest';
import { json, table, text, uri, type Column, type DeclaredTable } from '#src/store/schema/declaration.ts';
import { declaredTables, type TableRow } from '#src/store/schema/tables.ts';

const declared: readonly DeclaredTable[] = Object.values(declaredTables);

interface Place {
  readonly place: string;
  readonly column: Column;
}

const placesIn = (tables: readonly DeclaredTable[]): readonly Place[] =>
  tables.flatMap(({ name, columns }) =>
    Object.entries(columns).map(([each, column]) => ({ place: `${name}.${each}`, column })),
  );

/** Columns without a decision on whether they hold a person, a text, a secret, or neither. */
const undecidedIn = (tables: readonly DeclaredTable[]): readonly string[] =>
  placesIn(tables).flatMap(({ place, column }) =>
    ['person', 'text', 'secret', 'plain'].includes(column.holds) ? [] : [place],
  );

describe('a column', () => {
  it('says what its values may hold: one without a decision does not compile, and is found', () => {
    expect(undecidedIn(declared)).toEqual([]);
    const planted = table({
      name: 'contacts',
      key: ['uri'],
      readable: 'all',
      about: 'With columns without a decision.',
      columns: {
        uri: uri('URI of the contact'),
        // @ts-expect-error -- without `holds` or `oneOf`
        nickname: text('what friends call them', {}),
        // @ts-expect-error -- without `holds`
        friends: json('their friends', {}),
      },
    });
    expect(undecidedIn([planted])).toEqual(['contacts.nickname', 'contacts.friends']);
  });

  it('that is a part of another one is not hidden where the whole is shown', () => {
    const parts = declared.flatMap(({ name, columns }) =>
      Object.entries(columns).flatMap(([part, column]) => {
        const whole = Object.entries(columns).find(([each, { sentAs = each }]) =>
          column.sentAs?.startsWith(`${sentAs}.`),
        );
        return whole ? [{ part: `${name}.${part}`, column, whole: whole[1] }] : [];
      }),
    );
    expect(parts.map(({ part }) => part)).toEqual(expect.arrayContaining(['scheduled_events.join_url']));
    const hidden = ({ holds, readable }: Column) => [holds === 'secret', readable];
    for (const { part, column, whole } of parts) expect([part, ...hidden(column)]).toEqual([part, ...hidden(whole)]);
  });

  it('with a secret is in a table that only the program reads', () => {
    const open = declared.filter(({ readable }) => readable !== 'never');
    expect(placesIn(open).filter(({ column }) => column.holds === 'secret')).toEqual([]);
    expect(placesIn(declared).filter(({ column }) => column.holds === 'secret')).not.toEqual([]);
  });

  it('is of a number, a time or a flag, has its values listed, or names a record, where it is plain without a word', () => {
    const silent = placesIn(declared).filter(({ column }) => column.oneOf !== undefined || column.isUri);
    expect(silent.filter(({ column }) => column.holds !== 'plain')).toEqual([]);
  });

  it('joins a column that exists, of the same kind', () => {
    const kinds = new Map(placesIn(declared).map(({ place, column }) => [place, column.kind]));
    const joining = placesIn(declared).filter(({ column }) => column.joins !== undefined);
    expect(joining.length).toBeGreaterThan(20);
    expect(joining.filter(({ column }) => kinds.get(column.joins ?? '') !== column.kind)).toEqual([]);
  });

  it('that is listed has its values as its type: exactly those that our code writes, and any beside those of the service', () => {
    expectTypeOf<TableRow<'event_log'>['source']>().toEqualTypeOf<'webhook' | 'backfill' | 'reconcile' | 'operator'>();
    expectTypeOf<TableRow<'event_log'>['encoding']>().toEqualTypeOf<'base64' | null>();
    expectTypeOf<TableRow<'invitees'>['status']>().toEqualTypeOf<'active' | 'canceled' | (string & {}) | null>();
    expectTypeOf<TableRow<'invitees'>['name']>().toEqualTypeOf<string | null>();
    expectTypeOf<TableRow<'alerts'>['rule']>().toEqualTypeOf<string>();
  });
});

describe('a table', () => {
  it('has columns for its key, and the name by which it is listed', () => {
    for (const [name, each] of Object.entries<DeclaredTable>(declaredTables)) {
      expect(each.name).toBe(name);
      expect(Object.keys(each.columns)).toEqual(expect.arrayContaining([...each.key]));
    }
  });

  it('keeps secrets of the program to itself', () => {
    const never = declared.filter(({ readable }) => readable === 'never').map(({ name }) => name);
    expect(never).toEqual(['key_values', 'sync_checkpoints']);
  });
});
