// Mentions of erased people in records of others: found at any depth, removed, and nothing else is changed.
import { describe, expect, it } from 'vitest';
import { blankEntry, parseText } from '#workers/fold/pipeline/parse.ts';
import { erasedAddress, erasuresOf } from '#workers/fold/privacy/erasure-index.ts';
import { containsAddress, isOwnRecord, redactMentions } from '#workers/fold/privacy/redact-mentions.ts';

const key = 'k'.repeat(64);
const ada = { uri: 'https://api.example.test/users/ada', email: 'ada@example.test' };
const grace = { uri: 'https://api.example.test/users/grace', email: 'grace@example.test' };
const through = '2025-06-01T00:00:00.000000Z';
const erased = [{ uri: ada.uri, table: 'users' } as const, erasedAddress(key, { address: ada.email, through })];
const erasures = erasuresOf({ seq: 1, key, erased });
const scope = { erasures, at: '2025-05-01T00:00:00.000000Z' };
const later = { erasures, at: '2025-07-01T00:00:00.000000Z' };

describe('an erased address', () => {
  it.each([
    ['a text', `Write to ${ada.email.toUpperCase()}, please.`],
    ['a list', ['x', [ada.email]]],
    ['a value', { a: { b: ada.email } }],
    ['a key', { [ada.email]: 1 }],
  ])('is found in %s, up to the time of the erasure', (_, value) => {
    expect([containsAddress(scope, value), containsAddress(later, value)]).toEqual([true, false]);
  });

  it('is not found in a longer address, a number or nothing', () => {
    for (const value of [`not-${ada.email}`, 7, null, undefined, {}]) expect(containsAddress(scope, value)).toBe(false);
  });
});

describe('a record', () => {
  it('is the erased person’s by its URI at any time, and by an address up to the time of the erasure', () => {
    expect(isOwnRecord(later, 'users', { uri: ada.uri })).toBe(true);
    const invitee = { uri: 'https://api.example.test/invitees/1', email: ada.email };
    expect([isOwnRecord(scope, 'invitees', invitee), isOwnRecord(later, 'invitees', invitee)]).toEqual([true, false]);
  });

  it.each([
    ['contacts', { emails: [{ email: ada.email }] }, true],
    ['contacts', { notes: ada.email }, false],
    ['users', { email: ada.email }, true],
    ['users', { name: ada.email }, false],
    ['routing_form_submissions', { submitter: ada.uri }, true],
    ['routing_form_submissions', { questions_and_answers: [{ answer: ada.email }] }, true],
    ['meeting_recaps', { event: { attendees: [{ email: ada.email }] } }, true],
    ['routing_form_submissions', { submitter: grace.uri, name: ada.email }, false],
    ['meeting_recaps', { event: { uri: ada.uri } }, true],
    ['meeting_recaps', { speakers: [{ email: ada.email }] }, true],
    ['meeting_recaps', { summary: ada.email }, false],
    ['scheduled_events', { name: ada.email }, false],
  ] as const)('of %s with %j is theirs: %s', (table, record, isTheirs) => {
    expect(isOwnRecord(scope, table, record)).toBe(isTheirs);
  });

  it('of a meeting is theirs where what it says of the meeting does not fit, and was set aside', () => {
    const recapWith = (email: string) => {
      const payload = { uri: 'https://api.example.test/meeting_recaps/1', event: [{ attendees: [{ email }] }] };
      const created_at = '2025-05-01T00:00:00Z';
      const body = JSON.stringify({ event: 'meeting_recap.created', created_at, payload });
      return parseText(body, blankEntry).record ?? expect.fail();
    };
    expect(isOwnRecord(scope, 'meeting_recaps', recapWith(ada.email))).toBe(true);
    expect(isOwnRecord(scope, 'meeting_recaps', recapWith(grace.email))).toBe(false);
  });
});

describe('redacting mentions', () => {
  it('returns an equal value where there are none', () => {
    const value = { name: 'Grace', list: ['a', { b: null }], event_guests: [{ email: 'grace@example.test' }] };
    expect(redactMentions(scope, value)).toEqual(value);
  });

  it('blanks texts, removes keys and list items, and keeps URIs and the text of a uuid', () => {
    const { email } = ada;
    const value = { uri: email, notes: email, uuid: email, [email]: 'by address', tags: ['kept', email] };
    expect(redactMentions(scope, value)).toEqual({ uri: email, notes: null, uuid: '', tags: ['kept'] });
  });

  it('removes guests and attendees, and reduces a host to the URI of a user, without an address in it', () => {
    const host = { user: grace.uri, user_name: 'Grace' };
    const value = {
      event_guests: [{ email: grace.email }, { email: ada.email }, null],
      event_memberships: [
        host,
        { user: ada.uri, user_name: 'Ada' },
        { user: `https://${ada.email}`, user_name: 'Ada' },
      ],
      attendees: [{ email: ada.email }],
      speakers: [{ user: ada.uri, email: ada.email }],
    };
    expect(redactMentions(scope, value)).toEqual({
      event_guests: [{ email: grace.email }, null],
      event_memberships: [host, { user: ada.uri }, { user: null }],
      attendees: [],
      speakers: [{ user: ada.uri, email: null }],
    });
  });

  it('reduces the user that a record embeds, and only where it is the erased one', () => {
    const user = { uri: ada.uri, name: 'Ada' };
    expect(redactMentions(scope, { user, other: user })).toEqual({ user: { uri: ada.uri, name: null }, other: user });
    const others = { user: { uri: grace.uri, name: 'Grace', notes: ada.email } };
    expect(redactMentions(scope, others)).toEqual({ user: { ...others.user, notes: null } });
  });

  it('takes the name from the profile of an erased user, and from nothing else', () => {
    const profile = { type: 'User', name: 'Ada', owner: ada.uri };
    expect(redactMentions(scope, { profile, other: profile })).toEqual({
      profile: { type: 'User', owner: ada.uri },
      other: profile,
    });
    const others = { profile: { ...profile, owner: grace.uri } };
    expect(redactMentions(scope, others)).toEqual(others);
  });
});
