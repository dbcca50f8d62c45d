// A job of the queue, a record of the API or a stored entry becomes an entry of the log and the fact in it.
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { LogEntry } from '#src/store/log/read.ts';
import {
  blankEntry,
  factIn,
  isApiRead,
  isUnprojected,
  parseBatch,
  parseText,
  quarantined,
  reparse,
} from '#workers/fold/pipeline/parse.ts';

const receivedAt = '2025-04-14T12:00:00.000000Z';
const now = '2025-04-14T13:00:00.000000Z';
const uri = 'https://api.example.test/contacts/1';
const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex');
const bodyOf = (payload: object, event = 'contact.created') =>
  JSON.stringify({ event, created_at: '2025-04-14T11:43:10Z', payload: { uri, ...payload } });
const contactWith = (emails: number) =>
  bodyOf({ emails: Array.from({ length: emails }, (_, n) => ({ email: `a${n}@example.test`, is_primary: n === 0 })) });
const parsed = (delivery: unknown) => parseBatch({ v: 1, deliveries: [delivery] }, now)[0];

/** The entry of a job that no receiver has written. */
const forged = (job: unknown) => {
  const body = JSON.stringify(job) ?? 'null';
  const id = sha256(body);
  const reason = 'The queue held something that is not a delivery.';
  const entry = { ...blankEntry, received_at: now, body, delivery_id: id, tie: id.slice(0, 16), reason };
  return { entry: { ...entry, outcome: 'quarantined' }, record: null, fact: null };
};

describe('a delivery off the queue', () => {
  it('beyond a limit of the specification is noted and projected', () => {
    const noted = parsed({ body: contactWith(11), receivedAt });
    expect(noted?.entry.reason).toBe('Noted: emails: more than 10.');
    expect(noted?.fact?.assignments).toHaveLength(1);
    const emails = Array.from({ length: 11 }, (_, n) => ({ email: `a${n}@example.test` }));
    const both = parsed({ body: bodyOf({ emails }), receivedAt });
    expect(both?.entry.reason).toBe('Noted: emails: more than 10; emails: not exactly one primary.');
  });

  it('within the limits is projected without a word', () => {
    expect(parsed({ body: contactWith(10), receivedAt })?.entry.reason).toBeNull();
  });

  it('becomes an entry that names it, its subject and its time', () => {
    const body = bodyOf({ name: 'Ada' });
    expect(parsed({ body, receivedAt })).toMatchObject({
      entry: {
        source: 'webhook',
        event: 'contact.created',
        subject_uri: uri,
        received_at: receivedAt,
        body,
        occurred_at: '2025-04-14T11:43:10.000000Z',
        encoding: null,
        duplicates: 0,
        changes: null,
        redacted: false,
      },
      record: { uri, name: 'Ada' },
      fact: { subject: { table: 'contacts', uri } },
    });
    expect(parsed({ body, receivedAt })).not.toHaveProperty('organization');
  });

  it('of an unknown kind is unhandled, and one that cannot be read is quarantined', () => {
    expect(parsed({ body: bodyOf({}, 'planet.created'), receivedAt })).toMatchObject({
      entry: {
        outcome: 'unhandled',
        reason: 'This version does not know this kind of event. It is stored.',
        subject_uri: uri,
      },
      record: null,
      fact: null,
    });
    expect(parsed({ body: bodyOf({ uri: 5 }), receivedAt })).toMatchObject({
      entry: { outcome: 'quarantined', reason: 'payload.uri: expected string', subject_uri: null },
      fact: null,
    });
  });

  it('with a value that does not fit is projected without it, and says so', () => {
    expect(parsed({ body: bodyOf({ name: 5 }), receivedAt })).toMatchObject({
      entry: { reason: 'Noted: name: expected string.', subject_uri: uri },
      fact: { assignments: [{ fields: { extra: { name: 5 } } }] },
    });
  });

  it('whose body is not text keeps its bytes and is quarantined', () => {
    const bytes = Buffer.from([0xff, 0xfe]);
    const id = sha256(bytes);
    expect(parsed({ body: bytes.toString('base64'), encoding: 'base64', receivedAt })).toEqual({
      entry: {
        ...blankEntry,
        received_at: receivedAt,
        body: '//4=',
        encoding: 'base64',
        delivery_id: id,
        tie: id.slice(0, 16),
        outcome: 'quarantined',
        reason: 'The body is not UTF-8 text.',
      },
      record: null,
      fact: null,
    });
  });

  it('names its organization where it has one', () => {
    const organization = 'https://api.example.test/organizations/1';
    const body = JSON.stringify({ ...JSON.parse(bodyOf({})), organization });
    expect(parsed({ body, receivedAt })).toMatchObject({ fact: {}, organization });
  });
});

describe('a forged job', () => {
  const delivery = { body: bodyOf({}), receivedAt };

  it.each([null, 'text', [], {}, { v: 2, deliveries: [] }, { v: 1, deliveries: {} }, { deliveries: [delivery] }])(
    'that is no batch is quarantined whole: %j',
    (job) => {
      expect(parseBatch(job, now)).toEqual([forged(job)]);
    },
  );

  it.each([
    null,
    { receivedAt },
    { ...delivery, body: 5 },
    { ...delivery, body: 'a\0b' },
    { ...delivery, receivedAt: undefined },
    { ...delivery, receivedAt: '2025-04-14T12:00:00Z' },
    { ...delivery, encoding: 'utf8' },
  ])('is quarantined in the middle of a batch: %j', (job) => {
    expect(parseBatch({ v: 1, deliveries: [delivery, job] }, now)[1]).toEqual(forged(job));
  });

  it('has its own properties only, and half of a character is no text', () => {
    expect(parsed(Object.create(delivery))).toEqual(forged({}));
    expect(parsed({ ...delivery, body: '\ud800' })?.entry.outcome).toBe('quarantined');
    expect(parseBatch(undefined, now)).toEqual([forged(undefined)]);
  });

  it('that is nested too deeply is quarantined with its outer part', () => {
    let job: unknown = 'x';
    for (let depth = 0; depth < 20_000; depth += 1) job = [job];
    const body = parsed([job, 'x'.repeat(5_000)])?.entry.body ?? '';
    expect(body).toMatch(/^\[\s*\[.*\[Array\]/s);
    expect([body.length < 2_000, body.split('[').length]).toEqual([true, 11]);
  });
});

describe('a stored entry', () => {
  const stored = (changes: Partial<LogEntry>): LogEntry => ({
    ...blankEntry,
    seq: 7,
    delivery_id: 'its own',
    tie: '1'.repeat(16),
    body: bodyOf({ name: 'Ada' }),
    reason: 'Old.',
    ...changes,
  });

  it('is read again with its own identity, without the reason of the last time', () => {
    const { entry, fact } = reparse(stored({}));
    expect(entry).toMatchObject({ delivery_id: 'its own', tie: '1'.repeat(16), reason: null });
    expect(entry).not.toHaveProperty('seq');
    expect(fact?.assignments[0]?.version.endsWith('1'.repeat(16))).toBe(true);
  });

  it.each([{ body: null }, { encoding: 'base64' as const }])('without a text stays as it is: %j', (changes) => {
    const entry = stored(changes);
    expect(reparse(entry)).toEqual({ entry, record: null, fact: null });
    expect(factIn(entry)).toBeNull();
  });

  it('holds a fact, with or without its tie', () => {
    const { tie: _tie, ...untied } = stored({});
    expect(factIn(stored({}))?.assignments[0]?.version.endsWith('1'.repeat(16))).toBe(true);
    expect(factIn(untied)?.assignments[0]?.version.endsWith('0'.repeat(16))).toBe(true);
  });

  it('of an operator is an erasure, whatever it says it is', () => {
    const erasure = { uri, table: 'contacts' };
    const body = JSON.stringify({ event: 'contact.created', created_at: receivedAt, payload: erasure });
    const entry = { ...blankEntry, source: 'operator' as const, body };
    expect(parseText(body, entry)).toMatchObject({ entry, record: null, fact: { tombstone: { source: 'operator' } } });
  });

  it('is quarantined by its reason, and is then not projected', () => {
    const item = quarantined(reparse(stored({})), 'Refused.');
    expect(item).toMatchObject({
      fact: null,
      entry: { outcome: 'quarantined', reason: 'Refused.', delivery_id: 'its own' },
    });
    const outcomes = ['quarantined', 'unhandled', 'applied'] as const;
    expect(outcomes.map((outcome) => isUnprojected({ outcome }))).toEqual([true, true, false]);
  });
});

describe('a record read from the API', () => {
  const read = (
    payload: object,
    occurred_at: string | null = receivedAt,
    source: 'backfill' | 'reconcile' = 'backfill',
  ) =>
    parseText(JSON.stringify({ event: 'contact.read', payload }), {
      ...blankEntry,
      source,
      occurred_at,
      delivery_id: 'read',
      tie: '2'.repeat(16),
    });

  it('has the time at which it was observed', () => {
    for (const source of ['backfill', 'reconcile'] as const)
      expect(read({ uri, name: 'Ada' }, receivedAt, source)).toMatchObject({
        entry: { event: 'contact.read', subject_uri: uri, delivery_id: 'read' },
        fact: { subject: { uri } },
      });
    expect(read({ uri }, null)).toMatchObject({
      entry: { outcome: 'quarantined', reason: 'observed: expected an ISO 8601 timestamp' },
      fact: null,
    });
  });

  it('is quarantined when it has no URI, and projected without what does not fit', () => {
    const reason = expect.stringMatching(/uri/);
    expect(read({ uri: 5 })).toMatchObject({ entry: { outcome: 'quarantined', reason }, fact: null });
    expect(read({ uri, name: 5 })).toMatchObject({
      entry: { reason: 'Noted: name: expected string.', subject_uri: uri },
      fact: { assignments: [{ fields: { extra: { name: 5 } } }] },
    });
  });

  it('comes from a source that no sender can name', () => {
    const sources = ['backfill', 'reconcile', 'webhook', 'operator'] as const;
    expect(sources.map((source) => isApiRead({ source }))).toEqual([true, true, false, false]);
  });
});
