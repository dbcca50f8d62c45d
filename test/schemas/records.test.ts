import { describe, expect, it } from 'vitest';
import { readApiRecord } from '#schemas/api-record.ts';
import { isEventKind } from '#schemas/events.ts';
import { readerOf, recordReaders } from '#schemas/records.ts';

const uri = 'https://api.example.test/contacts/1';

describe('a record of the API', () => {
  it.each(Object.keys(recordReaders))('%s has a reader, and no webhook may be called so', (kind) => {
    expect(readerOf(`${kind}.read`)).toBeDefined();
    expect(isEventKind(`${kind}.read`)).toBe(false);
    // A record of a no-show has its mark.
    const payload = { uri, no_show: { uri } };
    expect(readApiRecord(JSON.stringify({ event: `${kind}.read`, payload }))).toMatchObject({
      state: 'known',
      event: `${kind}.read`,
      payload: { uri },
    });
  });

  it('can be gone when it is of a kind that is deleted, and no other', () => {
    for (const kind of ['contact', 'event_type', 'meeting_recap']) expect(readerOf(`${kind}.gone`)).toBeDefined();
    for (const kind of ['invitee', 'user', 'scheduled_event']) expect(readerOf(`${kind}.gone`)).toBeUndefined();
  });

  it.each(['contact', 'contact.created', 'contact.read.read', 'constructor.read', '__proto__.gone', '.read', ''])(
    'called "%s" is none',
    (name) => expect(readerOf(name)).toBeUndefined(),
  );

  it.each([
    ['not json', null, 'not JSON'],
    ['[]', null, 'event: expected the name of something that is read'],
    [
      `{"event":"contact.created","payload":{"uri":"${uri}"}}`,
      uri,
      'event: expected the name of something that is read',
    ],
    ['{"event":"contact.read","payload":3}', null, 'payload: expected object'],
    ['{"event":"contact.read","payload":{"name":3}}', null, 'payload.uri: expected string'],
  ])('that cannot be understood (%s) says why, and whom it is about where it can', (body, subjectUri, reason) => {
    expect(readApiRecord(body)).toMatchObject({ state: 'malformed', subjectUri, reason });
  });
});
