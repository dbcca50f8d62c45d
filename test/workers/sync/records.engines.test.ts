// Records read from the API on each store: they fill and repair rows, never overwrite what is newer, and the log does not grow.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '#schemas/wire.ts';
import type { RecordKind } from '#schemas/records.ts';
import { ingestDeletes, ingestRecords, type RecordsReport } from '#workers/sync/records.ts';
import { rebuild } from '#workers/sync/rebuild.ts';
import { privacyScreen } from '#workers/privacy/screen.ts';
import { ingestBodies, oneEngine, receivedAt, rowsOf, type TestStore } from '../../harness/stores.ts';

const base = 'https://api.example.test';
const contact = `${base}/contacts/1`;
const invitee = `${base}/scheduled_events/1/invitees/1`;
const at = (seconds: number) => `2025-04-14T11:43:${String(seconds).padStart(2, '0')}.000000Z`;
const screen = privacyScreen({ eraseOnDelete: true });
const counts = ({ created, updated, unchanged, quarantined }: RecordsReport) => [
  created,
  updated,
  unchanged,
  quarantined,
];
const deliveryBody = (event: string, created_at: string, payload: JsonObject) =>
  JSON.stringify({ event, created_at, payload });
const person = (name: string, updated: number): JsonObject => ({
  uri: contact,
  name,
  emails: [{ email: 'ada@example.test', is_primary: true }],
  created_at: at(0),
  updated_at: at(updated),
});
const guest = (more: JsonObject): JsonObject => ({
  uri: invitee,
  email: 'ada@example.test',
  status: 'active',
  event: `${base}/scheduled_events/1`,
  created_at: at(0),
  updated_at: at(1),
  ...more,
});
const mark = { uri: `${base}/invitee_no_shows/1`, created_at: at(5) };

describe.each(oneEngine)('records read into $name', ({ fresh }) => {
  let opened: TestStore;
  beforeEach(async () => void (opened = await fresh()));
  afterEach(async () => {
    // Whatever a test did, the log is the truth about it.
    const { rowsDiffered } = await rebuild({ store: opened.store, screen });
    if (rowsDiffered > 0) throw new Error(`A rebuild found ${rowsDiffered} rows to change.`);
    await opened[Symbol.asyncDispose]();
  });
  const read = (kind: RecordKind, record: JsonObject, observed: string) =>
    ingestRecords({ store: opened.store, screen }, [{ kind, record, observed }], {
      source: 'reconcile',
      now: receivedAt,
    });
  const gone = (kind: 'contact' | 'event_type' | 'meeting_recap', uri: string, observed: string) =>
    ingestDeletes({ store: opened.store, screen }, [{ kind, uri, observed }], { now: receivedAt });
  const log = async () =>
    (await rowsOf(opened.store, 'event_log')).toSorted((a, b) => Number(a['seq']) - Number(b['seq']));

  it('make the row that was not there, and say so', async () => {
    const report = await read('contact', person('Ada', 1), at(10));
    expect(report).toMatchObject({ created: 1, updated: 0, unchanged: 0, quarantined: 0 });
    expect(report.changed).toMatchObject([{ kind: 'contact', uri: contact, how: 'created' }]);
    expect(await rowsOf(opened.store, 'contacts')).toMatchObject([
      { uri: contact, name: 'Ada', primary_email: 'ada@example.test', as_of: at(10) },
    ]);
    expect(await log()).toMatchObject([
      {
        source: 'reconcile',
        event: 'contact.read',
        subject_uri: contact,
        occurred_at: at(10),
        received_at: receivedAt,
        outcome: 'applied',
      },
    ]);
  });

  it('are one entry however often the same content is read; it is observed at the latest time', async () => {
    await read('contact', person('Ada', 1), at(10));
    const once = await log();
    expect(counts(await read('contact', person('Ada', 1), at(20)))).toEqual([0, 0, 1, 0]);
    expect(counts(await read('contact', person('Ada', 1), at(15)))).toEqual([0, 0, 1, 0]);
    expect(await log()).toEqual([{ ...once[0], occurred_at: at(20) }]);
    expect(await rowsOf(opened.store, 'contacts')).toMatchObject([{ as_of: at(20) }]);
  });

  it('repair an update whose delivery was lost, and name the row and the change', async () => {
    await ingestBodies(opened.store, [deliveryBody('contact.created', at(1), person('Ada', 1))]);
    const report = await read('contact', person('Ada King', 9), at(20));
    expect(report.changed).toEqual([
      {
        kind: 'contact',
        uri: contact,
        how: 'updated',
        changes: { contacts: { name: ['Ada', 'Ada King'], updated_at: [at(1), at(9)] } },
      },
    ]);
    expect(report).toMatchObject({ created: 0, updated: 1, unchanged: 0, quarantined: 0 });
  });

  it('repair a lost unmark, also with content read before; its entry then moves to the end of the log', async () => {
    await read('invitee', guest({ no_show: null }), at(3));
    await ingestBodies(opened.store, [deliveryBody('invitee_no_show.created', at(5), guest({ no_show: mark }))]);
    expect(await rowsOf(opened.store, 'invitees')).toMatchObject([{ no_show_uri: mark.uri }]);
    const report = await read('invitee', guest({ no_show: null }), at(8));
    expect(report.changed).toMatchObject([
      { uri: invitee, how: 'updated', changes: { invitees: { no_show_uri: [mark.uri, null] } } },
    ]);
    expect(await rowsOf(opened.store, 'invitees')).toMatchObject([{ no_show_uri: null }]);
    expect(await log()).toMatchObject([
      { event: 'invitee_no_show.created' },
      { event: 'invitee.read', occurred_at: at(8), outcome: 'applied' },
    ]);
  });

  it('leave a tombstone for what is gone, of the time it was first known, and forget the contact', async () => {
    await ingestBodies(opened.store, [deliveryBody('contact.created', at(1), person('Ada', 1))]);
    await read('contact', person('Ada King', 5), at(6));
    const report = await gone('contact', contact, at(30));
    expect(report.changed).toEqual([
      { kind: 'contact', uri: contact, how: 'updated', changes: { contacts: { deleted_at: [null, at(30)] } } },
    ]);
    await gone('contact', contact, at(20));
    expect(counts(await gone('contact', contact, at(40)))).toEqual([0, 0, 1, 0]);
    expect(await rowsOf(opened.store, 'contacts')).toMatchObject([
      { uri: contact, name: null, extra: null, deleted_at: at(20), deleted_source: 'reconcile' },
    ]);
    const entries = await log();
    expect(entries.map(({ event, redacted }) => [event, redacted])).toEqual([
      ['contact.created', true],
      ['contact.read', true],
      ['contact.gone', true],
    ]);
    expect(JSON.stringify(entries)).not.toContain('Ada');
  });

  it('restore no deleted contact: what is read of it is a stub before it reaches the log', async () => {
    await gone('contact', contact, at(5));
    expect(counts(await read('contact', person('Ada', 9), at(10)))).toEqual([0, 0, 1, 0]);
    expect(counts(await read('contact', person('Ada', 9), at(11)))).toEqual([0, 0, 1, 0]);
    expect(await rowsOf(opened.store, 'contacts')).toMatchObject([{ name: null, deleted_at: at(5) }]);
    expect(JSON.stringify(await log())).not.toContain('ada@');
  });
});
