// Who came, in a world that is computed by hand: every value, and what decides between several records. For any facts in any order:
// views-property.engines.test.ts.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { StoredRow } from '#src/store/rows.ts';
import type { Observation } from '../../../harness/data/delivery-histories.ts';
import { ingestObservations } from '../../../harness/data/api-reads.ts';
import { expectGolden } from '../../../harness/golden.ts';
import { viewRows } from '../../../harness/mirror/view-rows.ts';
import { emptyTables, availableEngines, type TestStore } from '../../../harness/stores.ts';

const uri = (kind: string, id: string) => `https://api.example.test/${kind}/${id}`;
const at = (second: number) => `2025-01-06T12:00:${String(second).padStart(2, '0')}Z`;

const sent = (event: string, second: number, payload: object): Observation => {
  const fact = { event, created_at: at(second), payload: { ...payload }, sound: true };
  return { fact, body: JSON.stringify({ event, created_at: at(second), payload }) };
};

/** An invitee `Guest <id>`, `<id>@example.test`, of a meeting that ended. */
const booked = (id: string, meeting = id, more: object = {}) =>
  sent('invitee.created', 1, {
    uri: uri('invitees', id),
    email: `${id}@example.test`,
    name: `Guest ${id}`,
    status: 'active',
    created_at: at(0),
    event: uri('scheduled_events', meeting),
    scheduled_event: {
      uri: uri('scheduled_events', meeting),
      status: 'active',
      start_time: '2025-01-06T09:00:00Z',
      end_time: '2025-01-06T09:30:00Z',
    },
    ...more,
  });

const host = { host: true, user_email: 'host@example.test', user_name: 'The Host' };
const guest = (user_email: string | null, user_name: string | null = null) => ({ host: false, user_email, user_name });

const recap = (id: string, meeting: string, attendees: readonly object[] | null, second = 5) =>
  sent('meeting_recap.created', second, {
    uri: uri('meeting_recaps', id),
    event: { uri: uri('scheduled_events', meeting), attendees },
  });
const speakers = (id: string, names: readonly string[]): Observation => ({
  fact: {
    event: 'meeting_recap_transcript.read',
    created_at: at(6),
    payload: { uri: uri('meeting_recaps', id), speakers: names },
    sound: true,
  },
  body: null,
});

/** A meeting that a recap and a transcript tell of. */
const met = (id: string, attendees: readonly object[] | null, spoke: readonly string[] = [], more: object = {}) => [
  booked(id, id, more),
  recap(id, id, attendees),
  ...(spoke.length > 0 ? [speakers(id, spoke)] : []),
];
const marked = (id: string) =>
  sent('invitee_no_show.created', 3, {
    uri: uri('invitees', id),
    no_show: { uri: uri('no_shows', id), created_at: at(3) },
  });

/** Its outcomes are in golden/attendance.txt. */
const world: readonly Observation[] = [
  booked('silent'),
  // Names are compared without regard to letter case and spaces around them.
  ...met('speaks', [host], ['The Host', 'guest speaks '], { name: ' Guest SPEAKS' }),
  ...met('address', null, ['Address@Example.test']),
  ...met('listed', [host, guest('LISTED@example.test')]),
  ...met('by-name', [host, guest('', 'Guest by-name')]),
  // Another person of the same name: an address decides.
  ...met('namesake', [host, guest('other@example.test', 'Guest namesake')]),
  ...met('alone', [host], ['the host', 'HOST@example.test']),
  // A speaker whom the list does not have.
  ...met('stranger', [host], ['The Host', 'Speaker 2']),
  ...met('empty', []),
  ...met('no-list', null),
  // A meeting of three: one spoke, one was listed, one was neither.
  ...[1, 2, 3].map((n) => booked(`group-${n}`, 'group')),
  recap('group', 'group', [host, guest('group-1@example.test'), guest('group-2@example.test')]),
  speakers('group', ['Guest group-1']),
  // Several recaps: the strongest counts, and of equal ones the first by URI.
  ...met('several', [host]),
  recap('several-2', 'several', [host, guest('several@example.test')]),
  recap('several-3', 'several', [host, guest('several@example.test')]),
  ...met('several-others', [host]),
  recap('others-2', 'several-others', [host, guest('other@example.test')]),
  // The recap that listed them is deleted; the other one has hosts only.
  ...met('deleted', [host, guest('deleted@example.test')]),
  sent('meeting_recap.deleted', 9, { uri: uri('meeting_recaps', 'deleted') }),
  recap('deleted-2', 'deleted', [host]),
  // A mark takes precedence over a recap, and a removed mark does not.
  ...met('marked', [host, guest('marked@example.test')]),
  marked('marked'),
  ...met('unmarked', [host, guest('unmarked@example.test')]),
  marked('unmarked'),
  sent('invitee_no_show.deleted', 4, { uri: uri('invitees', 'unmarked'), no_show: null }),
  // A recap of the meeting that was moved says nothing of the one it was moved to.
  ...met('moved-1', [host, guest('moved-1@example.test')], [], {
    status: 'canceled',
    rescheduled: true,
    new_invitee: uri('invitees', 'moved-2'),
  }),
  booked('moved-2', 'moved-2', { email: 'moved-1@example.test', old_invitee: uri('invitees', 'moved-1') }),
  // No outcome that says the meeting took place.
  ...met('canceled', [host, guest('canceled@example.test')], [], { status: 'canceled' }),
];

describe.each(availableEngines)('attendance on $name', ({ fresh }) => {
  let opened: TestStore;
  beforeAll(async () => void (opened = await fresh()));
  beforeEach(() => emptyTables(opened.store));
  afterAll(() => opened[Symbol.asyncDispose]());

  const idOf = (text: unknown) => (typeof text === 'string' ? text.slice(text.lastIndexOf('/') + 1) : null);
  const attended = (rows: readonly StoredRow[]) =>
    rows.map((row) => `${idOf(row['journey_uri'])}: ${String(row['attendance'])}, by ${idOf(row['attendance_basis'])}`);

  it('follows from marks, recaps and transcripts', async () => {
    const { store } = opened;
    await ingestObservations(store, world);
    await expectGolden(attended(await viewRows(store, 'booking_journeys')).join('\n'), 'golden/attendance.txt');
    const all = (await viewRows(store, 'no_show_rate')).find(({ dimension }) => dimension === 'month');
    expect(all).toMatchObject({ held: 18, no_shows: 1, unconfirmed: 10, rate_low: 1 / 19, rate_high: 11 / 19 });
    expect(all?.['rate']).toBe(all?.['rate_low']);
  });

  it('changes when a recap comes late, and changes the journey for copies that follow it', async () => {
    const { store } = opened;
    await ingestObservations(store, [booked('late')]);
    const changed = async () => (await viewRows(store, 'booking_journey_changes'))[0]?.['changed_seq'];
    const before = await changed();
    await ingestObservations(store, [recap('late', 'late', [host])]);
    expect(attended(await viewRows(store, 'booking_journeys'))).toEqual(['late: suspected_no_show, by late']);
    const between = await changed();
    expect(between).toBeGreaterThan(Number(before));
    await ingestObservations(store, [speakers('late', ['Guest late'])]);
    expect(attended(await viewRows(store, 'booking_journeys'))).toEqual(['late: confirmed, by late']);
    expect(await changed()).toBeGreaterThan(Number(between));
  });
});
