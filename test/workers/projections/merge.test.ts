// What one delivery does to rows, by example: the stories that a random history tells too rarely to be read.
import { describe, expect, it } from 'vitest';
import type { Fact } from '#workers/projections/contract.ts';
import { merge, type WorkingRow } from '#workers/projections/merge.ts';
import { fold, read } from '../../harness/mirror/memory-fold.ts';

const base = 'https://api.example.test';
const keep = { eraseOnDelete: false };
const deliveryBody = (event: string, created_at: string, payload: object) =>
  read(JSON.stringify({ event, created_at, payload }));
const contact = (updated: number, payload: object, event = 'contact.updated') =>
  deliveryBody(event, `2025-04-14T12:00:0${updated}Z`, {
    uri: `${base}/contacts/1`,
    updated_at: `2025-04-14T11:00:0${updated}Z`,
    ...payload,
  });
const invitee = (event: string, second: number, payload: object) =>
  deliveryBody(event, `2025-04-14T12:00:0${second}Z`, { uri: `${base}/invitees/1`, ...payload });
const rowOf = (table: 'contacts' | 'invitees' | 'meeting_recaps', facts: Parameters<typeof fold>[0][number]) =>
  fold([facts], keep).contents[table]?.[0];

/** The row as it is written, with the keys of its JSON values in their stored order. */
function lastRow(facts: readonly (Fact | null)[]): Readonly<Record<string, unknown>> {
  const working: WorkingRow = { row: { uri: `${base}/contacts/1` }, isNew: true, former: new Map(), isTouched: false };
  for (const fact of facts) if (fact) merge(() => working, fact, keep);
  return working.row;
}

describe('joining facts', () => {
  it('keeps an older value where the newer fact says nothing, and clears it where it says null', () => {
    const older = contact(1, { name: 'Ada', company: 'Engine Ltd', city: 'London' });
    const newer = contact(2, { name: null, company: 'Analytical plc' });
    for (const order of [
      [older, newer],
      [newer, older],
    ]) {
      expect(rowOf('contacts', order)).toMatchObject({
        name: null,
        company: 'Analytical plc',
        city: 'London',
        as_of: '2025-04-14T12:00:02.000000Z',
      });
    }
  });

  it('stores no-show marks in one order of keys, whichever fact came first', () => {
    const mark = (id: string, second: number) =>
      invitee('invitee_no_show.created', second, {
        no_show: { uri: `${base}/invitee_no_shows/${id}`, created_at: `2025-04-14T12:00:0${second}Z` },
      });
    const marks = [mark('b', 1), mark('a', 2)];
    const texts = [marks, marks.toReversed()].map((order) => JSON.stringify(lastRow(order)['no_show_facts']));
    expect(texts[0]).toBe(texts[1]);
  });

  it('leaves a canceled invitee canceled, whatever a later active one says', () => {
    const canceled = invitee('invitee.canceled', 1, {
      updated_at: '2025-04-14T11:00:01Z',
      status: 'active',
      cancellation: { reason: 'ill' },
    });
    const active = invitee('invitee.created', 9, {
      updated_at: '2025-04-14T11:00:09Z',
      status: 'active',
      cancellation: null,
    });
    for (const order of [
      [canceled, active],
      [active, canceled],
    ]) {
      expect(rowOf('invitees', order)).toMatchObject({ status: 'canceled', cancel_reason: 'ill' });
    }
    const legacy = invitee('invitee.created', 1, { canceled: true });
    expect(rowOf('invitees', [active, legacy])).toMatchObject({ status: 'canceled' });
  });

  it('takes what was observed last of a recap, whose updates may lack their time', () => {
    const recap = (event: string, second: number, payload: object) =>
      deliveryBody(event, `2025-04-14T12:00:0${second}Z`, { recap: { uri: `${base}/meeting_recaps/1`, ...payload } });
    const facts = [
      recap('meeting_recap.updated', 3, { summary_md: 'new' }),
      recap('meeting_recap.created', 1, { summary_md: 'old', updated_at: '2025-04-14T12:00:09Z' }),
    ];
    expect(rowOf('meeting_recaps', facts)).toMatchObject({
      summary_md: 'new',
      updated_at: '2025-04-14T12:00:09.000000Z',
    });
  });

  it('counts a mark without its object, and recognizes it when it is reported twice', () => {
    const bare = invitee('invitee_no_show.created', 3, { no_show: null });
    expect(rowOf('invitees', [bare, bare])).toMatchObject({ no_show_at: '2025-04-14T12:00:03.000000Z' });
    expect(rowOf('invitees', [invitee('invitee_no_show.deleted', 4, {}), bare])).toMatchObject({
      no_show: null,
      no_show_at: null,
    });
  });
});
