// The screen of erased people on single entries: which ones concern them, and what remains of those.
import { describe, expect, it } from 'vitest';
import { blankEntry, parseText, type ParsedItem } from '#workers/fold/pipeline/parse.ts';
import { erasedAddress, erasuresOf, withSubjects } from '#workers/fold/privacy/erasure-index.ts';
import { entryContainsAddress, erasedSubjectsIn, redactErased, timeOf } from '#workers/fold/privacy/redact-fact.ts';

const key = 'k'.repeat(64);
const base = 'https://api.example.test';
const ada = { uri: `${base}/users/ada`, email: 'ada@example.test' };
const through = '2025-06-01T00:00:00.000000Z';
const [before, after] = ['2025-05-01T00:00:00.000000Z', '2025-07-01T00:00:00.000000Z'];
const erasures = erasuresOf({
  seq: 1,
  key,
  erased: [
    { uri: ada.uri, table: 'users' },
    { uri: 'http://localhost/users/ada', table: 'users' },
    erasedAddress(key, { address: ada.email, through }),
    erasedAddress(key, { address: 'nora@example.test', through }),
  ],
});
const delivered = (event: string, payload: object, created_at = before): ParsedItem => {
  const body = JSON.stringify({ event, created_at, payload });
  return parseText(body, { ...blankEntry, received_at: created_at, body });
};
const readFromApi = (event: string, payload: object): ParsedItem => {
  const body = JSON.stringify({ event, payload });
  const id = { delivery_id: 'r', tie: '0'.repeat(16) };
  return parseText(body, { ...blankEntry, ...id, source: 'reconcile', occurred_at: after, body });
};
/** An entry that cannot be parsed. */
const unparsed = (body: string, changes: Partial<ParsedItem['entry']> = {}): ParsedItem => ({
  entry: { ...blankEntry, received_at: before, body, ...changes },
  record: null,
  fact: null,
});
const uri = `${base}/invitees/1`;
const contact = (payload: object, at = before) =>
  delivered('contact.updated', { uri: `${base}/contacts/1`, ...payload }, at);
const bodyOf = (item: ParsedItem): unknown => JSON.parse(redactErased(erasures, item).entry.body ?? 'null');

describe('the name of an unknown kind', () => {
  const nameAfter = (item: ParsedItem) => redactErased(erasures, item).entry.event;

  it('is replaced where it contains an erased address, also beyond what the log holds of it, or without a body', () => {
    expect(nameAfter(delivered(`kind ${ada.email}`, {}))).toBe('unknown');
    expect(nameAfter(delivered(`${'x'.repeat(190)} ${ada.email}`, {}))).toBe('unknown');
    expect(nameAfter(unparsed('', { body: null, event: `kind ${ada.email}` }))).toBe('unknown');
  });

  it('stays where only the content concerns the person, or the delivery is newer', () => {
    expect(nameAfter(delivered('custom.kind', { note: ada.email }))).toBe('custom.kind');
    expect(nameAfter(delivered(`kind ${ada.email}`, {}, after))).toBe(`kind ${ada.email}`);
  });
});

describe('an entry of an unknown kind', () => {
  it('concerns the person whose URI is anywhere in it, also after the erasure', () => {
    const item = delivered('custom.kind', { note: 'x', people: ['y', { name: 'z', user: ada.uri }] }, after);
    expect(redactErased(erasures, item)).not.toBe(item);
    const other = delivered('custom.kind', { note: 'x', people: ['y', { name: 'z', user: uri }] }, after);
    expect(redactErased(erasures, other)).toBe(other);
  });
});

describe('an entry stays as it is', () => {
  const own = contact({ emails: [{ email: ada.email }] });

  it('where it concerns no erased person', () => {
    const others = unparsed('{"a', { subject_uri: uri });
    const texts = ['{"a', '{"a": 1}', 'not-ada@example.test', 'http://localhost/users/grace'].map((text) =>
      unparsed(text),
    );
    for (const item of [contact({ name: 'Grace' }), others, ...texts]) expect(redactErased(erasures, item)).toBe(item);
  });

  it('without erasures, and where it is an erasure or empty', () => {
    expect(redactErased({ ...erasures, seq: 0 }, own)).toBe(own);
    const operator = { ...own, entry: { ...own.entry, source: 'operator' as const } };
    expect(redactErased(erasures, operator)).toBe(operator);
    const erasure = unparsed(JSON.stringify({ event: 'person.erased', payload: ada }), { source: 'operator' });
    expect(redactErased(erasures, erasure)).toBe(erasure);
    const empty = { ...own, entry: { ...own.entry, body: null } };
    expect(redactErased(erasures, empty)).toBe(empty);
    const emptied = unparsed('', { body: null, subject_uri: ada.uri });
    expect(redactErased(erasures, emptied)).toBe(emptied);
  });

  it('byte for byte where it was redacted before', () => {
    const erased = withSubjects(erasures, [{ uri: `${base}/contacts/1`, table: 'contacts' }]);
    const stub = redactErased(erased, own);
    expect(redactErased(erased, stub)).toBe(stub);
    const body = `{ "event": "invitee.created", "created_at": "${before}", "payload": { "uri": "${ada.uri}" } }`;
    const spaced = parseText(body, { ...blankEntry, received_at: before, body });
    expect(redactErased(erasures, spaced)).toBe(spaced);
  });

  it('after the erasure, when the person has returned', () => {
    const returned = contact({ emails: [{ email: ada.email }] }, after);
    expect(redactErased(erasures, returned)).toBe(returned);
    const unread = unparsed(ada.email, { received_at: after });
    expect(redactErased(erasures, unread)).toBe(unread);
  });
});

describe('an entry about an erased person', () => {
  it('is redacted up to the very time of the erasure', () => {
    expect(redactErased(erasures, contact({ company: ada.email }, through)).entry.redacted).toBe(true);
  });

  it('is a stub when it is their contact', () => {
    const item = contact({ name: 'Ada', emails: [{ email: ada.email }], updated_at: before });
    const { entry, record, fact } = redactErased(erasures, item);
    expect(JSON.parse(entry.body ?? '')).toEqual({
      event: 'contact.updated',
      created_at: before,
      payload: { uri: `${base}/contacts/1`, updated_at: before },
    });
    expect([entry.redacted, entry.encoding, record?.['name']]).toEqual([true, null, undefined]);
    expect(fact?.subject.table).toBe('contacts');
  });

  it('is a stub without the time of observation, which moves, when their contact was read from the API', () => {
    const payload = { uri: `${base}/contacts/1`, created_at: before };
    const read = readFromApi('contact.read', { ...payload, emails: [{ email: ada.email }] });
    expect(bodyOf(read)).toEqual({ event: 'contact.read', created_at: null, payload });
  });

  it('is reduced to what others need, at any time when it names the person', () => {
    const payload = { uri, email: ada.email, name: 'Ada', status: 'active', timezone: 'UTC' };
    const reduced = { uri, email: null, name: null, status: 'active', timezone: null };
    const event = 'invitee.created';
    expect(bodyOf(delivered(event, payload))).toEqual({ event, created_at: before, payload: reduced });
    expect(bodyOf(readFromApi('invitee.read', payload))).toEqual({ event: 'invitee.read', payload: reduced });
    const user = readFromApi('user.read', { uri: ada.uri, name: 'Ada', updated_at: after });
    expect(bodyOf(user)).toEqual({ event: 'user.read', payload: { uri: ada.uri, name: null, updated_at: after } });
  });

  it('is reduced to role and times when it is the membership of their user, embedded or named', () => {
    const payload = {
      uri: `${base}/organization_memberships/1`,
      role: 'user',
      note: 'Ada of Sales',
      updated_at: before,
    };
    const event = 'organization_membership.read';
    const embedded = { uri: `${base}/users/2`, email: ada.email, name: 'Ada' };
    for (const [user, left] of [
      [embedded, { ...embedded, email: null, name: null }],
      [
        { uri: ada.uri, name: 'Ada' },
        { uri: ada.uri, name: null },
      ],
      [ada.uri, ada.uri],
    ]) {
      const { note: _, ...reduced } = { ...payload, user: left };
      expect(bodyOf(readFromApi(event, { ...payload, user }))).toEqual({ event, payload: reduced });
    }
    const other = readFromApi(event, { ...payload, user: { ...embedded, email: 'grace@example.test' } });
    expect(redactErased(erasures, other)).toBe(other);
  });

  it('of someone else loses the mention only', () => {
    const notes = contact({ name: 'Grace', company: `See ${ada.email}`, city: 'Rome' });
    expect(bodyOf(notes)).toMatchObject({ payload: { name: 'Grace', company: null, city: 'Rome' } });
    expect(redactErased(erasures, notes).fact?.assignments[0]?.fields).toMatchObject({ name: 'Grace', company: null });
    const quarantined = { ...notes, fact: null };
    expect(redactErased(erasures, quarantined)).toMatchObject({ fact: null, entry: { redacted: true } });
  });

  it.each([
    ['a text', unparsed(`{"email": "${ada.email}"`)],
    ['an escaped text', unparsed('{"email": "\\u0061da@example.test"')],
    ['upper-case escapes', unparsed('{"email": "\\u0061da\\u0040EXAMPLE.test"')],
    ['their URI in a text', unparsed(`{"user": "${ada.uri}", `)],
    ['their URI with escaped slashes', unparsed(`{"user": "${ada.uri.replaceAll('/', '\\/')}", `)],
    ['their URI with other escapes', unparsed(`{"user": "${ada.uri.replace('ada', '\\u0061da')}", `)],
    ['their URI of a service without TLS', unparsed('{"user": "http://localhost/users/ada", ')],
    ['their URI in a text after the erasure', unparsed(`{"user": "${ada.uri}", `, { received_at: after })],
    ['JSON with escaped slashes', unparsed(`{"user": "${ada.uri.replaceAll('/', '\\/')}"}`)],
    ['bytes', unparsed(Buffer.from(`\u00ff ${ada.email}`).toString('base64'), { encoding: 'base64' })],
    ['JSON of an unknown shape', unparsed(JSON.stringify({ deep: [{ user: ada.uri }] }))],
    ['JSON with the address', unparsed(JSON.stringify({ deep: [ada.email] }))],
    ['their URI as its subject', unparsed('{"a', { subject_uri: ada.uri })],
  ])('is emptied when it cannot be parsed: %s', (_, item) => {
    expect(redactErased(erasures, item).entry).toEqual({ ...item.entry, body: null, encoding: null, redacted: true });
  });
});

describe('the time of an entry', () => {
  it('is that of its content', () => {
    expect(timeOf(contact({ updated_at: after }))).toBe(before);
    expect(timeOf(unparsed('x'))).toBe(before);
    expect(timeOf(readFromApi('contact.read', { uri, created_at: before, updated_at: through }))).toBe(through);
    expect(timeOf(readFromApi('contact.read', { uri, created_at: before }))).toBe(before);
    const { entry, record } = readFromApi('contact.read', { uri });
    expect(timeOf({ entry, record })).toBe('');
    expect(timeOf({ entry, record: null })).toBe('');
    expect(timeOf({ entry, record: { updated_at: 5, created_at: before } })).toBe(before);
  });
});

describe('the records of an erased person in an entry', () => {
  const found = (item: ParsedItem) => erasedSubjectsIn(erasures, item).map(({ uri: of, table }) => `${table} ${of}`);

  it('are the subject, and for an invitee the meetings and the form', () => {
    const [event, form] = [`${base}/scheduled_events/1`, `${base}/routing_form_submissions/1`];
    const invitee = { uri, email: ada.email, event, scheduled_event: { uri: event }, routing_form_submission: form };
    expect(found(delivered('invitee.created', invitee))).toEqual([
      `invitees ${uri}`,
      `routing_form_submissions ${form}`,
      `scheduled_events ${event}`,
    ]);
    const moved = { ...invitee, scheduled_event: { uri: `${base}/scheduled_events/2` } };
    expect(found(delivered('invitee.created', moved)).slice(2)).toEqual([
      `scheduled_events ${event}`,
      `scheduled_events ${base}/scheduled_events/2`,
    ]);
    const named = { ...invitee, routing_form_submission: `${base}/forms/${ada.email}`, scheduled_event: undefined };
    expect(found(delivered('invitee.created', named))).toEqual([`invitees ${uri}`, `scheduled_events ${event}`]);
    expect(found(delivered('invitee.created', { ...invitee, email: 'grace@example.test' }))).toEqual([]);
    expect(found(contact({ emails: [{ email: ada.email }], event }))).toEqual([`contacts ${base}/contacts/1`]);
  });

  it('are the user that a membership embeds', () => {
    const membership = { uri: `${base}/organization_memberships/1`, role: 'user', organization: `${base}/o/1` };
    const user = { uri: `${base}/users/2`, email: ada.email, name: 'Ada' };
    const of = (payload: object) => found(readFromApi('organization_membership.read', { ...membership, ...payload }));
    expect(of({ user })).toEqual([`users ${user.uri}`]);
    expect(of({ user: { ...user, email: 'grace@example.test' } })).toEqual([]);
    expect(found(contact({ user }))).toEqual([]);
  });

  it('are none where it cannot be parsed', () => {
    expect(found(unparsed(ada.email))).toEqual([]);
    expect(found({ ...contact({ emails: [{ email: ada.email }] }), record: null })).toEqual([]);
  });
});

describe('an entry of anybody', () => {
  it('contains an address as JSON or text', () => {
    expect(entryContainsAddress(erasures, contact({ company: ada.email }))).toBe(true);
    expect(entryContainsAddress(erasures, contact({ company: ada.email }, after))).toBe(false);
    expect(entryContainsAddress(erasures, contact({ company: `See\n${ada.email}` }))).toBe(true);
    // A line break and another person's address, although the text of the body contains `nora`.
    expect(entryContainsAddress(erasures, contact({ company: 'See\nora@example.test' }))).toBe(false);
    expect(entryContainsAddress(erasures, unparsed(`{${ada.email}`))).toBe(true);
    expect(entryContainsAddress(erasures, unparsed('', { body: null }))).toBe(false);
    expect(entryContainsAddress(erasures, unparsed(`{"${ada.uri}"`))).toBe(false);
    expect(entryContainsAddress(erasures, contact({ company: ada.uri }))).toBe(false);
  });
});
