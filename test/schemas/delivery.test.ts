import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { problemsIn, readDelivery, type KnownDelivery } from '#schemas/delivery.ts';
import { eventKinds, type EventKind } from '#schemas/events.ts';
import { canonicalJson } from '#schemas/wire.ts';
import { api, bodyOf, contactRecord, fullInvitee, inviteeUri } from './bodies.ts';

function known<Kind extends EventKind>(event: Kind, payload: unknown): Extract<KnownDelivery, { event: Kind }> {
  const read = readDelivery(bodyOf(event, payload));
  expect(read).toMatchObject({ state: 'known', event });
  return read as Extract<KnownDelivery, { event: Kind }>;
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

describe('what a delivery is', () => {
  it('a body that is not an object of event, time and payload is malformed, and says where', () => {
    const reasons = {
      '': 'not JSON',
      '{"event":': 'not JSON',
      '[]': 'the body is a list, not an object',
      null: 'the body is null, not an object',
      '"a"': 'the body is a string, not an object',
      '{}': 'event: expected string',
      '{"event":7}': 'event: expected string',
      '{"event":""}': 'event: expected string',
      '{"event":"invitee.created","payload":{}}': 'created_at: expected an ISO 8601 timestamp',
      '{"event":"invitee.created","created_at":"today","payload":{}}': 'created_at: expected an ISO 8601 timestamp',
      '{"event":"invitee.created","created_at":"2026-01-01T00:00:00Z"}': 'payload: expected object',
      '{"event":"invitee.created","created_at":"2026-01-01T00:00:00Z","payload":[]}': 'payload: expected object',
      '{"event":"invitee.created","created_at":"2026-01-01T00:00:00Z","payload":{}}': 'payload.uri: expected string',
    };
    for (const [body, reason] of Object.entries(reasons))
      expect(readDelivery(body)).toMatchObject({ state: 'malformed', reason });
  });

  it('a malformed delivery keeps what could be read of it', () => {
    const read = readDelivery(bodyOf('contact.updated', [contactRecord]));
    expect(read).toMatchObject({
      state: 'malformed',
      event: 'contact.updated',
      createdAt: '2026-03-01T10:00:00.000000Z',
      subjectUri: null,
      reason: 'payload: expected object',
    });
  });

  it('the time of the record stands in for a missing time of the envelope', () => {
    const { uri, updated_at } = contactRecord;
    const untimed = (payload: object) => readDelivery(JSON.stringify({ event: 'contact.updated', payload }));
    expect(untimed({ uri, updated_at })).toMatchObject({
      state: 'known',
      createdAt: '2026-03-01T10:00:00.444000Z',
      notes: ['created_at: expected an ISO 8601 timestamp'],
    });
    expect(untimed({ uri })).toMatchObject({
      state: 'malformed',
      reason: 'created_at: expected an ISO 8601 timestamp',
      subjectUri: uri,
    });
  });

  it('a note and a reason name the path and the type, never the value', () => {
    const payload = { ...fullInvitee, questions_and_answers: [{ question: { secret: 'ada@example.test' } }] };
    expect(known('invitee.created', payload).notes).toEqual(['questions_and_answers.0.question: expected string']);
    expect(known('invitee.created', { ...fullInvitee, updated_at: 'ada@example.test' }).notes).toEqual([
      'updated_at: expected an ISO 8601 timestamp',
    ]);
    const inAmount = { ...fullInvitee, payment: { amount: 'ada@example.test' } };
    expect(known('invitee.created', inAmount).notes).toEqual(['payment.amount: expected number']);
    expect(readDelivery(bodyOf('contact.deleted', { uri: 'ada@example.test' }))).toMatchObject({
      subjectUri: null,
      reason: 'payload.uri: expected an http(s) URI of at most 1,024 characters',
    });
  });

  it('an unknown kind is kept with its subject, whatever its payload', () => {
    const merged = bodyOf(
      'contact.merged',
      { recap: { uri: `${api}/meeting_recaps/r1` } },
      { created_at: '2026-03-01T11:00:00+01:00' },
    );
    expect(readDelivery(merged)).toMatchObject({
      state: 'unknown',
      event: 'contact.merged',
      createdAt: '2026-03-01T10:00:00.000000Z',
      subjectUri: `${api}/meeting_recaps/r1`,
    });
    expect(readDelivery('{"event":"x","payload":3}')).toMatchObject({
      state: 'unknown',
      createdAt: null,
      subjectUri: null,
    });
  });

  it('the name of an unknown kind is cut and cleaned before it is stored', () => {
    expect(readDelivery(bodyOf('a\r\n\u001b[2J\u2028b', {}))).toMatchObject({ event: 'a\uFFFD\uFFFD\uFFFD[2J\uFFFDb' });
    const { event } = readDelivery(bodyOf(`${'x'.repeat(199)}😀${'y'.repeat(1000)}`, {}));
    expect(event).toBe(`${'x'.repeat(199)}\uFFFD`);
  });
});

describe('the problems of a delivery', () => {
  it('are all named, each at its path in the body', () => {
    const time = '"created_at":"2026-01-01T00:00:00Z"';
    expect(problemsIn('')).toEqual([{ path: [], message: 'not JSON' }]);
    expect(problemsIn('[]')).toEqual([{ path: [], message: 'the body is a list, not an object' }]);
    expect(problemsIn('{"event":7}')).toEqual([{ path: ['event'], message: 'expected string' }]);
    expect(problemsIn(`{"event":"contact.created",${time},"payload":[]}`)).toEqual([
      { path: ['payload'], message: 'expected object' },
    ]);
    const wrapped = `{"event":"contact.created",${time},"payload":{"contact":{"uri":"a.test/1","emails":[{"email":7}]}}}`;
    expect(problemsIn(wrapped).map(({ path }) => path)).toEqual([
      ['payload', 'contact', 'uri'],
      ['payload', 'contact', 'emails', 0, 'email'],
    ]);
    expect(problemsIn(bodyOf('contact.created', contactRecord))).toEqual([]);
    expect(problemsIn('{"event":"contact.merged","payload":7}')).toEqual([]);
  });
});

describe('identity', () => {
  it('is the hash of the canonical body without created_by, and the tie that of the payload', () => {
    const payload = { uri: contactRecord.uri, deleted_at: '2026-03-01T10:00:00Z' };
    const read = readDelivery(bodyOf('contact.deleted', payload, { extra: [1, { b: 1, a: 2 }], zone: 'x' }));
    const body = {
      event: 'contact.deleted',
      created_at: '2026-03-01T10:00:00.000000Z',
      payload,
      extra: [1, { b: 1, a: 2 }],
      zone: 'x',
    };
    expect(read.deliveryId).toBe(sha256(canonicalJson(body)));
    expect(read.tie).toBe(sha256(canonicalJson(payload)).slice(0, 16));
  });

  it('is the same for the same fact sent to two subscriptions, spaced and ordered differently', () => {
    const one = readDelivery(bodyOf('invitee.created', fullInvitee));
    const { uri, ...rest } = fullInvitee;
    const other = readDelivery(
      JSON.stringify(
        { payload: { ...rest, uri }, created_at: '2026-03-01T10:00:00.000000Z', event: 'invitee.created' },
        null,
        2,
      ),
    );
    expect(other.deliveryId).toBe(one.deliveryId);
    expect(other.tie).toBe(one.tie);
    const nested = readDelivery(bodyOf('invitee.created', { ...fullInvitee, created_by: 'someone' }));
    expect(nested.deliveryId).not.toBe(one.deliveryId);
  });

  it('is the hash of the raw text when that is not JSON', () => {
    expect(readDelivery('{oops').deliveryId).toBe(sha256('{oops'));
    expect(readDelivery('{oops').tie).toBe(sha256('{oops').slice(0, 16));
  });
});

describe('payloads', () => {
  it('an invitee is read whole, with times normalised and numbers out of strings', () => {
    const { payload, createdAt, notes } = known('invitee.created', { ...fullInvitee, brand_new: { a: [1] } });
    expect(createdAt).toBe('2026-03-01T10:00:00.000000Z');
    expect(payload).toMatchObject({
      created_at: '2026-03-01T09:59:59.123000Z',
      updated_at: '2026-03-01T09:59:59.000000Z',
      payment: { amount: 12.5 },
      reconfirmation: { created_at: '2026-03-01T10:00:00.000000Z', confirmed_at: null },
      scheduled_event: {
        start_time: '2026-03-05T10:00:00.000000Z',
        location: { data: { id: 80000000000, extra: null } },
      },
      brand_new: { a: [1] },
    });
    expect(Object.keys(payload).sort()).toEqual([...Object.keys(fullInvitee), 'brand_new'].sort());
    expect(notes).toEqual([]);
  });

  it('an absent key stays absent and null stays null', () => {
    const bare = known('invitee_no_show.deleted', { uri: inviteeUri }).payload;
    expect(Object.keys(bare)).toEqual(['uri']);
    const cleared = known('invitee_no_show.deleted', {
      uri: inviteeUri,
      no_show: null,
      name: null,
      payment: null,
      tracking: null,
    }).payload;
    expect(cleared).toStrictEqual({ uri: inviteeUri, no_show: null, name: null, payment: null, tracking: null });
    const contact = known('contact.updated', {
      uri: contactRecord.uri,
      custom_fields: [{ uri: contactRecord.custom_fields[0]?.uri }],
    });
    expect(Object.keys(contact.payload.custom_fields?.[0] ?? {})).toEqual(['uri']);
  });

  it('bodies of 2020 are read: a null name, a boolean canceled, a bare cancellation, no scheduled event', () => {
    const { payload } = known('invitee.canceled', {
      uri: inviteeUri,
      name: null,
      canceled: true,
      cancellation: { canceled_by: 'Ada', reason: '' },
    });
    expect(payload.canceled).toBe(true);
    expect(payload.cancellation).toStrictEqual({ canceled_by: 'Ada', reason: '' });
    expect('scheduled_event' in payload).toBe(false);
  });

  it('a no-show mark carries its URI', () => {
    const no_show = { uri: `${api}/invitee_no_shows/n1`, created_at: '2026-03-01T10:00:00Z' };
    expect(known('invitee_no_show.created', { ...fullInvitee, no_show }).payload.no_show).toStrictEqual({
      uri: no_show.uri,
      created_at: '2026-03-01T10:00:00.000000Z',
    });
  });

  it('a contact is the same record, sent flat or nested', () => {
    const flat = known('contact.created', { ...contactRecord, creation_source: 'api' });
    const nested = known('contact.created', { user_uuid: 'u1', contact: { ...contactRecord, creation_source: 'api' } });
    expect(nested.payload).toEqual({ ...flat.payload, user_uuid: 'u1' });
    expect(nested.payload).toMatchObject({ creation_source: 'api', updated_at: '2026-03-01T10:00:00.444000Z' });
  });

  it('a deleted contact is its URI and perhaps the time', () => {
    const deleted_at = '2026-03-01T07:59:59.5Z';
    const nested = known('contact.deleted', { user_uuid: 'u1', contact: { uri: contactRecord.uri, deleted_at } });
    expect(nested.payload).toMatchObject({ uri: contactRecord.uri, deleted_at: '2026-03-01T07:59:59.500000Z' });
    expect(known('contact.deleted', { uri: contactRecord.uri }).payload).toStrictEqual({ uri: contactRecord.uri });
  });

  it('any custom field value is kept as it was sent', () => {
    const values = ['text', 85000, 1.5, true, '2026-03-01', ['a'], [], null, { odd: [1] }];
    const custom_fields = values.map((value, index) => ({
      uri: `${api}/contacts/custom_field_definitions/f${index}`,
      value,
    }));
    expect(
      known('contact.updated', { ...contactRecord, custom_fields }).payload.custom_fields?.map(({ value }) => value),
    ).toEqual(values);
  });

  it('what exceeds a limit of the specification is noted and read all the same', () => {
    const emails = Array.from({ length: 11 }, (_, index) => ({
      email: `a${index}@example.test`,
      is_primary: index < 2,
    }));
    const phone_numbers = Array.from({ length: 11 }, () => ({ phone_number: '+15555550100' }));
    expect(known('contact.updated', { ...contactRecord, emails, phone_numbers }).notes).toEqual([
      'emails: more than 10',
      'phone_numbers: more than 10',
      'emails: not exactly one primary',
    ]);
    const payment = { ...fullInvitee.payment, terms: 'x'.repeat(1025) };
    expect(known('invitee.created', { ...fullInvitee, payment }).notes).toEqual([
      'payment.terms: longer than 1,024 characters',
    ]);
  });

  const recapUri = `${api}/meeting_recaps/r1`;

  it('a recap is one flat record, sent flat or nested', () => {
    const event = {
      name: 'Intro',
      start_time: '2026-03-01T09:00:00Z',
      attendees: [{ host: true, user_email: 'host@example.test' }],
    };
    const recap = { uri: recapUri, summary_md: '## S', share_link: null, created_at: '2026-03-01T09:40:00Z' };
    const nested = known('meeting_recap.created', { created_at: '2026-03-01T09:50:00Z', event, recap });
    const flat = known('meeting_recap.created', { ...recap, event });
    expect(nested.payload).toEqual(flat.payload);
    expect(nested.payload).toStrictEqual({
      ...recap,
      created_at: '2026-03-01T09:40:00.000000Z',
      event: { ...event, start_time: '2026-03-01T09:00:00.000000Z' },
    });
  });

  it('a recap whose event is a URI has an event with that URI', () => {
    const { payload } = known('meeting_recap.updated', { uri: recapUri, event: `${api}/scheduled_events/e1` });
    expect(payload.event).toStrictEqual({ uri: `${api}/scheduled_events/e1` });
  });

  it('a deleted recap is its URI and the time, flat or nested', () => {
    const deleted = { uri: recapUri, deleted_at: '2026-03-01T10:00:00.000000Z' };
    expect(known('meeting_recap.deleted', { recap: deleted }).payload).toStrictEqual(deleted);
    expect(known('meeting_recap.deleted', deleted).payload).toStrictEqual(deleted);
  });

  it('a routing form submission keeps its result as it was sent', () => {
    const value = { headline: 'Thanks', body: 'Later' };
    const { payload } = known('routing_form_submission.created', {
      uri: `${api}/routing_form_submissions/s1`,
      questions_and_answers: [{ question_uuid: 'q1', question: 'Name', answer: 'Ada' }],
      result: { type: 'custom_message', value },
      submitter: null,
    });
    expect(payload.result).toStrictEqual({ type: 'custom_message', value });
  });

  it('a deleted event type is the record, or only its URI and the time', () => {
    const bare = { uri: `${api}/event_types/t1`, deleted_at: '2026-03-01T10:00:00.000000Z' };
    expect(known('event_type.deleted', bare).payload).toStrictEqual(bare);
    const full = {
      ...bare,
      name: 'Intro',
      duration: 30,
      custom_questions: [{ name: 'Size', answer_choices: ['1', '2'] }],
      is_paid: false,
    };
    expect(known('event_type.deleted', full).payload).toStrictEqual(full);
  });

  it.each(Object.keys(eventKinds) as EventKind[])('a bare URI is enough for %s', (event) => {
    expect(known(event, { uri: `${api}/things/1` }).payload).toStrictEqual({ uri: `${api}/things/1` });
  });
});
