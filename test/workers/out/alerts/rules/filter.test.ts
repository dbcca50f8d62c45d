// Which bookings a rule is about, and who hosts them.
import { describe, expect, it } from 'vitest';
import { filter, isOneOf, matchesFilter, type Filter } from '#workers/out/alerts/rules/filter.ts';
import { hostsOf } from '#src/read/bookings/hosts.ts';
import { bookingContext, rowOf, type Booking } from '../../../../harness/data/booking-context.ts';

const matches = (given: object, booking: Booking = {}) =>
  matchesFilter(filter.parse(given) satisfies Filter, bookingContext(booking));
const host = { user: 'https://api.example.test/users/U1', user_email: 'grace@example.test', user_name: 'Grace' };

describe('a filter', () => {
  it('asks for nothing when it is empty', () => {
    expect(matches({})).toBe(true);
    expect(matches({}, { known: { event: undefined } })).toBe(true);
    expect([isOneOf([], undefined), isOneOf(['a'], undefined), isOneOf([], 'a')]).toEqual([true, true, false]);
  });

  it('compares the event type by URI and name, whatever their case', () => {
    const event = { event_type: 'https://api.example.test/event_types/T1', name: 'Introduction' };
    for (const event_type of [event.event_type, 'introduction', ['other', 'Introduction']])
      expect(matches({ event_type }, { event })).toBe(true);
    expect(matches({ event_type: ['other', 'Intro'] }, { event })).toBe(false);
    expect(matches({ event_type: 'x' }, { known: { event: undefined } })).toBe(false);
  });

  it('compares every host by URI, e-mail address and name', () => {
    const event = { hosts: [{ user: 'https://api.example.test/users/U0' }, host] };
    for (const wanted of Object.values(host)) expect(matches({ host: wanted }, { event })).toBe(true);
    expect(matches({ host: 'Alan' }, { event })).toBe(false);
    expect(matches({ host: 'Grace' }, { event: { hosts: 'Grace' } })).toBe(false);
  });

  it('takes a domain with its subdomains, with or without @', () => {
    const invitee = { email: 'ada@Mail.Example.test' };
    for (const email_domain of ['example.test', '@EXAMPLE.test', 'mail.example.test', ['x.test', 'example.test']])
      expect(matches({ email_domain }, { invitee })).toBe(true);
    for (const email_domain of ['ample.test', 'mail.@example.test', 'a.mail.example.test', 'ada@mail.example.test'])
      expect(matches({ email_domain }, { invitee })).toBe(false);
    expect(matches({ email_domain: 'example.test' }, { invitee: { email: null } })).toBe(false);
  });

  it('compares columns and custom fields of the contact, all of them', () => {
    const fields = new Map<string, unknown>([
      ['Tier', 'Gold'],
      ['Tags', ['a', 'b']],
      ['Seats', 5],
    ]);
    const contact = {
      row: rowOf('contacts', { company: 'Engines' }),
      fields,
      optionUuids: new Map([['Tier', 'uuid-1']]),
    };
    const known = { contact };
    for (const wanted of [
      { company: 'engines' },
      { Tier: 'gold' },
      { Tier: 'uuid-1' },
      { Tags: 'b' },
      { Seats: 5 },
      { Seats: [4, 5], company: 'Engines' },
    ])
      expect(matches({ contact: wanted }, { known })).toBe(true);
    for (const wanted of [
      { company: 'x' },
      { Tags: 'c' },
      { Seats: '5' },
      { company: 'Engines', Tier: 'x' },
      { Tier: 5 },
      { toString: 'x' },
    ])
      expect(matches({ contact: wanted }, { known })).toBe(false);
    expect(matches({ contact: { Tier: 'gold' } }, { known: { contact: { row: contact.row, fields } } })).toBe(true);
    expect([matches({ contact: { Tier: 'gold' } }), matches({ contact: {} })]).toEqual([false, true]);
  });

  it('compares each UTM parameter', () => {
    const invitee = { utm_source: 'news', utm_term: 'b' };
    expect(matches({ utm_source: ['ads', 'News'], utm_term: 'b' }, { invitee })).toBe(true);
    expect(matches({ utm_source: 'news', utm_term: 'c' }, { invitee })).toBe(false);
    expect(matches({ utm_medium: 'mail' }, { invitee })).toBe(false);
  });

  it.each([
    { host: '' },
    { host: [] },
    { host: [''] },
    { contact: { a: [] } },
    { contact: { '': 1 } },
    { contact: { a: null } },
    { hosts: 'x' },
  ])('is not %j', (given) => {
    expect(filter.safeParse(given).success).toBe(false);
  });
});

describe('the hosts of a booking', () => {
  it('are those with texts in the JSON of the meeting', () => {
    const hosts = [host, { user: 1, user_email: null, user_name: [] }, null];
    const none = { uri: undefined, email: undefined, name: undefined };
    expect(hostsOf({ event: { hosts } })).toEqual([
      { uri: host.user, email: host.user_email, name: host.user_name },
      none,
      none,
    ]);
    expect(hostsOf({ event: undefined })).toEqual([]);
  });
});
