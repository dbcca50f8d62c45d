import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { problemsIn, readDelivery, type KnownDelivery } from '#schemas/delivery.ts';
import { eventKinds, type EventKind } from '#schemas/events.ts';
import { canonicalJson } from '#schemas/wire.ts';
import { rendered } from '../harness/data/json-variants.ts';
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

it('the problems of a delivery are all named, each at its path in the body', () => {
  expect(problemsIn('')).toEqual([{ path: [], message: 'not JSON' }]);
  expect(problemsIn(bodyOf('contact.created', []))).toEqual([{ path: ['payload'], message: 'expected object' }]);
  const contact = { uri: 'a.test/1', emails: [{ email: 7 }] };
  expect(problemsIn(bodyOf('contact.created', { contact })).map(({ path }) => path.join('.'))).toEqual([
    'payload.contact.uri',
    'payload.contact.emails.0.email',
  ]);
  for (const sound of [bodyOf('contact.created', contactRecord), '{"event":"contact.merged","payload":7}'])
    expect(problemsIn(sound)).toEqual([]);
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
    const envelope = { created_at: '2026-03-01T10:00:00.000000Z', event: 'invitee.created', payload: fullInvitee };
    const other = readDelivery(rendered(envelope, 7));
    expect([other.deliveryId, other.tie]).toEqual([one.deliveryId, one.tie]);
    const nested = readDelivery(bodyOf('invitee.created', { ...fullInvitee, created_by: 'someone' }));
    expect(nested.deliveryId).not.toBe(one.deliveryId);
  });

  it('is the hash of the raw text when that is not JSON', () => {
    expect(readDelivery('{oops').deliveryId).toBe(sha256('{oops'));
    expect(readDelivery('{oops').tie).toBe(sha256('{oops').slice(0, 16));
  });
});

describe('payloads', () => {
  const time = '2026-03-01T10:00:00.000000Z';

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
  const event = { name: 'Intro', start_time: time, attendees: [{ host: true, user_email: 'host@example.test' }] };
  const recap = { uri: recapUri, summary_md: '## S', share_link: null, created_at: time };
  const { uri } = contactRecord;
  const contact = { uri, name: 'Ada', creation_source: 'api', updated_at: time };

  it.each<[what: string, event: EventKind, sent: object, read: object]>([
    [
      'an invitee of 2020: a null name, a boolean canceled, a bare cancellation, no scheduled event',
      'invitee.canceled',
      { uri, name: null, canceled: true, cancellation: { canceled_by: 'Ada', reason: '' } },
      { uri, name: null, canceled: true, cancellation: { canceled_by: 'Ada', reason: '' } },
    ],
    [
      'a no-show mark',
      'invitee_no_show.created',
      { uri, no_show: { uri: `${api}/n1`, created_at: '2026-03-01T11:00:00+01:00' } },
      { uri, no_show: { uri: `${api}/n1`, created_at: time } },
    ],
    ['a flat contact', 'contact.created', contact, contact],
    ['a nested contact', 'contact.created', { user_uuid: 'u1', contact }, { ...contact, user_uuid: 'u1' }],
    ['a deleted contact', 'contact.deleted', { contact: { uri, deleted_at: time } }, { uri, deleted_at: time }],
    ['a flat recap', 'meeting_recap.created', { ...recap, event }, { ...recap, event }],
    ['a nested recap', 'meeting_recap.created', { created_at: 'x', event, recap }, { ...recap, event }],
    [
      'a recap whose event is a URI',
      'meeting_recap.updated',
      { uri, event: recapUri },
      { uri, event: { uri: recapUri } },
    ],
    ['a deleted recap', 'meeting_recap.deleted', { recap: { uri, deleted_at: time } }, { uri, deleted_at: time }],
    [
      'the result of a routing form submission, as it was sent',
      'routing_form_submission.created',
      { uri, result: { type: 'custom_message', value: { headline: 'Thanks' } }, submitter: null },
      { uri, result: { type: 'custom_message', value: { headline: 'Thanks' } }, submitter: null },
    ],
    [
      'a deleted event type with its record',
      'event_type.deleted',
      { uri, deleted_at: time, duration: 30, custom_questions: [{ name: 'Size', answer_choices: ['1'] }] },
      { uri, deleted_at: time, duration: 30, custom_questions: [{ name: 'Size', answer_choices: ['1'] }] },
    ],
  ])('%s is read', (_what, kind, sent, read) => {
    expect(known(kind, sent).payload).toStrictEqual(read);
  });

  it.each(Object.keys(eventKinds) as EventKind[])('a bare URI is enough for %s', (event) => {
    expect(known(event, { uri: `${api}/things/1` }).payload).toStrictEqual({ uri: `${api}/things/1` });
  });
});
