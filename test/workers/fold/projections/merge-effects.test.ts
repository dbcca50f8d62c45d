// What merging reports and marks besides the values: changes, new rows, touched rows, former values, tombstones.
import { describe, expect, it } from 'vitest';
import { blankEntry, parseText } from '#workers/fold/pipeline/parse.ts';
import type { Fact, MirrorTable, Tombstone } from '#workers/fold/projections/contract.ts';
import {
  changesFromNothing,
  isBlanked,
  merge,
  mergeUnrecorded,
  reapply,
  type MergeOptions,
  type WorkingRow,
} from '#workers/fold/projections/merge.ts';

const base = 'https://api.example.test';
const at = (second: number) => `2025-04-14T12:00:0${second}.000000Z`;
const keep = { eraseOnDelete: false };
const erase = { eraseOnDelete: true };

function factOf(event: string, second: number, payload: object): Fact {
  const { fact } = parseText(JSON.stringify({ event, created_at: at(second), payload }), blankEntry);
  if (fact === null) throw new Error('no fact');
  return fact;
}
const contact = (second: number, payload: object) =>
  factOf('contact.updated', second, { uri: `${base}/contacts/1`, updated_at: at(second), ...payload });
const invitee = (event: string, second: number, payload: object = {}) =>
  factOf(event, second, { uri: `${base}/invitees/1`, ...payload });
const mark = (second: number) =>
  invitee('invitee_no_show.created', second, { no_show: { uri: `${base}/no_shows/1`, created_at: at(second) } });
const tombstone = (source: Tombstone['source'], second: number, table: Tombstone['table'] = 'contacts'): Fact => {
  const subject = { table, uri: `${base}/contacts/1` };
  return { subject, assignments: [], tombstone: { ...subject, deletedAt: at(second), source } };
};

/** Rows in memory, as they are before they are written. */
function openRows(options: MergeOptions = keep) {
  const rows = new Map<string, WorkingRow>();
  const lookup = (table: MirrorTable, uri: string): WorkingRow => {
    const known = rows.get(`${table} ${uri}`) ?? { row: { uri }, isNew: true, former: new Map(), isTouched: false };
    rows.set(`${table} ${uri}`, known);
    return known;
  };
  const add = (fact: Fact) => merge(lookup, fact, options);
  const workingRow = (table: 'contacts' | 'invitees' | 'event_types' = 'contacts') =>
    lookup(table, `${base}/${table === 'event_types' ? 'contacts' : table}/1`);
  const row = (table?: 'invitees' | 'event_types') => workingRow(table).row;
  return { lookup, add, row, workingRow };
}

describe('the effect of a fact', () => {
  const first = contact(1, { name: 'Ada', emails: [{ email: 'a@x' }], city: null, unknown: 'x' });
  const fromNothing = {
    name: [null, 'Ada'],
    emails: [null, [{ email: 'a@x' }]],
    primary_email: [null, 'a@x'],
    updated_at: [null, at(1)],
  };

  it('is what users can read of its values, and the tables whose first fact it is', () => {
    const { add, row } = openRows();
    expect(add(first)).toEqual({ outcome: 'applied', changes: { contacts: fromNothing }, created: ['contacts'] });
    expect(changesFromNothing(first, 'contacts')).toEqual(fromNothing);
    expect(changesFromNothing(first, 'users')).toEqual({});
    expect(row()).toMatchObject({ extra: { unknown: 'x' } });
    const none = { changes: null, created: [] };
    expect(add(contact(2, { name: 'Ada', updated_at: at(1) }))).toEqual({ outcome: 'unchanged', ...none });
    const changes = { contacts: { name: ['Ada', 'Grace'] } };
    expect(add(contact(3, { name: 'Grace', updated_at: at(1) }))).toEqual({ outcome: 'applied', changes, created: [] });
    expect(add(first)).toEqual({ outcome: 'superseded', ...none });
    expect(openRows().add(contact(1, { updated_at: undefined })).created).toEqual([]);
  });

  it('of a mark has the times of the mark, which may change, so its table is not new', () => {
    const { add, row } = openRows();
    const no_show = { uri: `${base}/no_shows/1`, created_at: at(1) };
    const opened = { no_show: [null, no_show], no_show_uri: [null, no_show.uri], no_show_at: [null, at(1)] };
    expect(add(mark(1))).toEqual({ outcome: 'applied', changes: { invitees: opened }, created: [] });
    expect(add(mark(1))).toEqual({ outcome: 'superseded', changes: null, created: [] });
    const closed = { no_show: [no_show, null], no_show_uri: [no_show.uri, null], no_show_at: [at(1), null] };
    expect(add(invitee('invitee_no_show.deleted', 2)).changes).toEqual({ invitees: closed });
    expect(row('invitees')).toMatchObject({ no_show: null, no_show_uri: null, no_show_at: null });
    const { subject } = mark(1);
    const unmark = { subject, assignments: [], noShow: { kind: 'unmark', at: at(3) } } as const;
    expect([add(unmark).outcome, add(unmark).outcome]).toEqual(['unchanged', 'superseded']);
    const scheduled_event = { uri: `${base}/scheduled_events/1`, name: 'Call' };
    const createdBy = (event: string, payload: object) =>
      openRows().add(invitee(event, 1, { name: 'Ada', ...payload })).created;
    expect(createdBy('invitee.created', { no_show: null })).toEqual(['invitees']);
    expect(createdBy('invitee.created', { no_show, scheduled_event })).toEqual(['scheduled_events']);
    expect(createdBy('invitee_no_show.deleted', {})).toEqual(['invitees']);
  });

  it('says that periods of no-shows have moved, which are rows of their own', () => {
    const { add, row } = openRows();
    row('invitees')['no_show_facts'] = null;
    expect(add(invitee('invitee.created', 1, { name: 'Ada', no_show: null }))).not.toHaveProperty('movesPeriods');
    expect(add(mark(2)).movesPeriods).toBe(true);
    expect(add(mark(2))).not.toHaveProperty('movesPeriods');
    expect(add(invitee('invitee.created', 1, { name: 'Ada' }))).not.toHaveProperty('movesPeriods');
    expect(add(invitee('invitee_no_show.deleted', 3)).movesPeriods).toBe(true);
  });

  it('of an answer is who said when that the invitee came, until a later answer says otherwise', () => {
    const { add, row } = openRows();
    const { subject } = mark(1);
    const answer = (second: number, came: boolean) =>
      add({
        subject,
        assignments: [],
        noShow: { kind: 'answer', answer: { at: at(second), entry: 'e', by: 'Grace', came } },
      });
    const confirmed = {
      attendance_confirmed_at: [null, at(2)],
      attendance_confirmed_by: [null, 'Grace'],
      attendance_entry: [null, 'e'],
    };
    expect(answer(2, true)).toMatchObject({ outcome: 'applied', changes: { invitees: confirmed } });
    expect(row('invitees')).toMatchObject({
      attendance_confirmed_at: at(2),
      no_show_facts: { answer: { came: true } },
    });
    // Another fact leaves it as it is.
    expect(Object.keys(add(mark(3)).changes?.['invitees'] ?? {})).toEqual(['no_show', 'no_show_uri', 'no_show_at']);
    const taken = Object.fromEntries(Object.entries(confirmed).map(([column, [, value]]) => [column, [value, null]]));
    expect(answer(4, false).changes).toEqual({ invitees: taken });
  });

  it('of a mark that was removed by its URI ends the period for good', () => {
    const { add, row } = openRows();
    add(mark(1));
    expect(Object.keys(row('invitees')['no_show_facts'] ?? {})).toEqual(['marks', 'unmarks', 'snapshot']);
    const { subject } = mark(1);
    for (const uri of ['2', '1'])
      add({ subject, assignments: [], noShow: { kind: 'removal', at: at(2), uri: `${base}/no_shows/${uri}` } });
    expect(row('invitees')).toMatchObject({ no_show: null, no_show_uri: null });
    const { removals } = row('invitees')['no_show_facts'] as { removals: object };
    expect(Object.entries(removals)).toEqual([
      [`${base}/no_shows/1`, at(2)],
      [`${base}/no_shows/2`, at(2)],
    ]);
  });

  it('of a record with the time of its deletion may change, so its table is not new', () => {
    const [{ version } = expect.fail()] = first.assignments;
    const createdBy = (deletions: readonly (string | null | undefined)[]) => {
      const subject = { table: 'users', uri: `${base}/users/1` } as const;
      const assignments = deletions.map((deleted_at, index) => ({
        table: index === 0 ? ('organization_memberships' as const) : ('users' as const),
        uri: `${base}/${index}`,
        version,
        definition: { role: 'role', name: 'name', deleted_at: 'deleted_at' } as const,
        fields: { role: 'user', name: 'Ada', ...(deleted_at !== undefined && { deleted_at }) },
      }));
      return openRows().add({ subject, assignments }).created;
    };
    expect(createdBy([undefined, null])).toEqual(['organization_memberships', 'users']);
    expect(createdBy([at(2), undefined])).toEqual(['users']);
    expect(createdBy([undefined, at(2)])).toEqual(['organization_memberships']);
  });

  it('is the same on the rows where nothing is recorded', () => {
    const [recorded, unrecorded] = [openRows(), openRows()];
    for (const fact of [first, contact(2, { name: 'Grace' }), tombstone('webhook', 3)]) {
      recorded.add(fact);
      mergeUnrecorded(unrecorded.lookup, fact, keep);
    }
    expect(unrecorded.workingRow()).toEqual(recorded.workingRow());
  });
});

describe('a row', () => {
  it('is written when a fact is newer, and not otherwise', () => {
    const { add, workingRow } = openRows();
    add(contact(2, { name: 'Ada' }));
    expect(workingRow().isTouched).toBe(true);
    for (const fact of [contact(1, { name: 'Old' }), contact(2, { name: 'Ada' })]) {
      workingRow().isTouched = false;
      add(fact);
      expect(workingRow().isTouched).toBe(false);
    }
    add(contact(3, { name: 'Ada' }));
    expect(workingRow().isTouched).toBe(true);
    const later = contact(5, {});
    const empty = { ...later, assignments: later.assignments.map((each) => ({ ...each, fields: {} })) };
    expect([add(empty).outcome, workingRow().row['as_of']]).toEqual(['superseded', at(5)]);
  });

  it('remembers the first former value of columns with child rows, and no other', () => {
    const { add, workingRow } = openRows();
    add(contact(1, { name: 'Ada', emails: [{ email: 'a@x' }] }));
    expect([...workingRow().former]).toEqual([['emails', null]]);
    workingRow().former.clear();
    for (const [n, email] of ['a@x', 'b@x', 'c@x'].entries()) add(contact(n + 2, { name: email, emails: [{ email }] }));
    expect([...workingRow().former]).toEqual([['emails', [{ email: 'a@x' }]]]);
    const marked = openRows();
    marked.add(mark(1));
    expect([...marked.workingRow('invitees').former]).toEqual([['no_show_facts', null]]);
  });

  it('has a sorted list of the fields that lag behind it, or none', () => {
    const { add, row } = openRows();
    const fields = Object.keys(contact(1, {}).assignments[0]?.definition ?? {});
    const all = Object.fromEntries(fields.filter((field) => field !== 'extra').map((field) => [field, null]));
    add(contact(2, { ...all, updated_at: at(2) }));
    expect(row()['lagging']).toBeNull();
    add(contact(3, { name: 'Ada' }));
    const lagging = Object.keys(row()['lagging'] ?? {});
    expect(lagging).toEqual(fields.filter((field) => !['name', 'updated_at', 'extra'].includes(field)).toSorted());
    add(contact(4, { city: 'London' }));
    add(contact(3, { name: 'Ada', state: 'Kent' }));
    expect(row()).toMatchObject({ city: 'London', state: 'Kent', as_of: at(4) });
    expect(Object.keys(row()['lagging'] ?? {})).toEqual(
      fields.filter((field) => !['city', 'updated_at', 'extra'].includes(field)).toSorted(),
    );
  });

  it('has JSON with the keys in the order of the fact that decided', () => {
    const { add, row } = openRows();
    add(contact(1, { custom_fields: [{ uri: `${base}/f`, label: 'a', value: { x: 1, y: 2 } }] }));
    const before = row()['custom_fields'];
    const turned = contact(2, {
      updated_at: at(1),
      custom_fields: [{ uri: `${base}/f`, label: 'a', value: { y: 2, x: 1 } }],
    });
    expect(add(turned).outcome).toBe('unchanged');
    expect(JSON.stringify(row()['custom_fields'])).not.toBe(JSON.stringify(before));
  });

  it('has its no-show marks in one order of keys, whichever fact came first', () => {
    const marks = ['b', 'a'].map((id) =>
      invitee('invitee_no_show.created', 1, { no_show: { uri: `${base}/no_shows/${id}`, created_at: at(1) } }),
    );
    const texts = [marks, marks.toReversed()].map((order) => {
      const { add, row } = openRows();
      for (const fact of order) add(fact);
      return JSON.stringify(row('invitees')['no_show_facts']);
    });
    expect(texts[0]).toBe(texts[1]);
  });
});

describe('a tombstone', () => {
  it('is not new with its first fact, nor is a row that its first fact deletes', () => {
    const { add } = openRows();
    add(tombstone('webhook', 1));
    expect(add(contact(2, { name: 'Ada' }))).toMatchObject({ outcome: 'tombstoned', created: [] });
    const deleted = factOf('event_type.deleted', 1, { uri: `${base}/event_types/1`, name: 'Call' });
    expect(openRows().add(deleted)).toMatchObject({ changes: { event_types: { name: [null, 'Call'] } }, created: [] });
  });

  it('has the time of the source with the highest priority, then the earliest', () => {
    const sources = ['reconcile', 'webhook', 'operator'] as const;
    const rising = sources.flatMap((source, n) => [tombstone(source, 2 * n + 2), tombstone(source, 2 * n + 1)]);
    for (const [n, fact] of rising.entries()) {
      const { add, row, workingRow } = openRows();
      const { deletedAt, source } = fact.tombstone as Tombstone;
      expect(add(fact)).toEqual({
        outcome: 'applied',
        changes: { contacts: { deleted_at: [null, deletedAt] } },
        created: [],
      });
      expect(row()).toMatchObject({ deleted_at: deletedAt, deleted_source: source, as_of: deletedAt });
      workingRow().isTouched = false;
      for (const lower of rising.slice(0, n + 1))
        expect(add(lower)).toEqual({ outcome: 'tombstoned', changes: null, created: [] });
      expect(workingRow().isTouched).toBe(false);
      expect(row()).toMatchObject({ deleted_at: deletedAt, deleted_source: source });
      for (const higher of rising.slice(n + 1)) {
        add(higher);
        expect(row()).toMatchObject({
          deleted_at: higher.tombstone?.deletedAt,
          deleted_source: higher.tombstone?.source,
        });
      }
    }
  });

  it('blanks a contact where deletes erase or an operator asks for it, and nothing else', () => {
    const cases = [
      { source: 'webhook', options: keep, blanks: false },
      { source: 'webhook', options: erase, blanks: true },
      { source: 'operator', options: keep, blanks: true },
    ] as const;
    for (const { source, options, blanks } of cases) {
      const { add, row, workingRow } = openRows(options);
      add(contact(1, { name: 'Ada', emails: [{ email: 'a@x' }] }));
      workingRow().former.clear();
      expect(add(tombstone(source, 2)).outcome).toBe('applied');
      expect([row()['name'], row()['version'] === null, row()['as_of']]).toEqual(
        blanks ? [null, true, at(2)] : ['Ada', false, at(1)],
      );
      expect([...workingRow().former]).toEqual(blanks ? [['emails', [{ email: 'a@x' }]]] : []);
      expect(isBlanked('contacts', row(), options)).toBe(blanks);
      expect(isBlanked('event_types', row(), options)).toBe(false);
      workingRow().isTouched = false;
      expect(add(contact(3, { name: 'Late' })).outcome).toBe('tombstoned');
      expect([row()['name'] ?? null, workingRow().isTouched]).toEqual(blanks ? [null, false] : ['Late', true]);
    }
    expect(isBlanked('contacts', { uri: 'x' }, erase)).toBe(false);
    const type = openRows(erase);
    Object.assign(type.lookup('event_types', `${base}/contacts/1`).row, { name: 'Call', version: 'v' });
    type.add(tombstone('webhook', 1, 'event_types'));
    expect(type.row('event_types')).toMatchObject({ name: 'Call', version: 'v' });
  });

  it('also blanks a contact beneath a tombstone of a time when deletes did not erase', () => {
    const { lookup, add, row, workingRow } = openRows();
    for (const fact of [tombstone('webhook', 1), contact(1, { name: 'Ada' })]) add(fact);
    workingRow().isTouched = false;
    expect(merge(lookup, tombstone('webhook', 2), erase)).toMatchObject({ outcome: 'tombstoned', changes: null });
    expect(row()).toMatchObject({ name: null, deleted_at: at(1), deleted_source: 'webhook', as_of: at(1) });
    expect(workingRow().isTouched).toBe(true);
  });
});

describe('a fact that lost a person', () => {
  it('is written again where it had decided, and nowhere else', () => {
    const { lookup, add, row, workingRow } = openRows();
    const fact = contact(1, { name: 'Ada', company: 'Engines', emails: [{ email: 'a@x' }] });
    add(fact);
    add(contact(2, { company: 'Analytical' }));
    workingRow().former.clear();
    workingRow().isTouched = false;
    reapply(lookup, fact);
    expect([workingRow().isTouched, workingRow().former.size]).toEqual([false, 0]);
    const [assignment] = fact.assignments;
    if (assignment === undefined) throw new Error('no assignment');
    const fields = { ...assignment.fields, name: null, company: null, emails: [] };
    reapply(lookup, { ...fact, assignments: [{ ...assignment, fields }] });
    expect(row()).toMatchObject({ name: null, company: 'Analytical', emails: [], primary_email: null });
    expect([...workingRow().former]).toEqual([['emails', [{ email: 'a@x' }]]]);
    expect(workingRow().isTouched).toBe(true);
  });
});
