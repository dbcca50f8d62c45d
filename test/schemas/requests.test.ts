import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { missingScopes } from '#schemas/api-scope.ts';
import { bookingRequest } from '#schemas/booking.ts';
import { contactCreateRequest, contactListQuery, contactUpdateRequest } from '#schemas/contact-request.ts';
import { customFieldDefinition, customFieldValueFor } from '#schemas/custom-field.ts';
import { errorBody, insufficientScope, insufficientScopeBody } from '#schemas/errors.ts';
import { contractOf, eventKinds, requestEventKinds, type EventKind } from '#schemas/events.ts';
import { invitationRequest } from '#schemas/invitation.ts';
import { collection, resource } from '#schemas/pagination.ts';
import { eventsRefusedBy, subscriptionRequest, subscriptionRequestWithEventTypes } from '#schemas/subscription.ts';
import { api, contactRecord } from './bodies.ts';

const accepts = (schema: z.ZodType, value: unknown) => schema.safeParse(value).success;
const complaints = (schema: z.ZodType, value: unknown) =>
  schema.safeParse(value).error?.issues.map(({ path }) => path.join('.')) ?? [];

describe('event kinds', () => {
  it('are the eleven of the request enum and three of event types', () => {
    const kinds = Object.keys(eventKinds) as EventKind[];
    expect(kinds).toHaveLength(14);
    expect(kinds.filter((kind) => contractOf(kind).inRequestEnum).sort()).toEqual([...requestEventKinds].sort());
    expect(kinds.filter((kind) => !contractOf(kind).inRequestEnum)).toEqual([
      'event_type.created',
      'event_type.updated',
      'event_type.deleted',
    ]);
  });

  it('recaps are for users only and form submissions for organizations only', () => {
    expect(eventsRefusedBy('organization', requestEventKinds)).toEqual([
      'meeting_recap.created',
      'meeting_recap.updated',
      'meeting_recap.deleted',
    ]);
    expect(eventsRefusedBy('user', requestEventKinds)).toEqual(['routing_form_submission.created']);
    expect(eventsRefusedBy('group', requestEventKinds)).toHaveLength(4);
  });

  it('ask the caller for the scope of their family, which a write scope may include', () => {
    expect(contractOf('invitee_no_show.deleted').requiredCallerScope).toBe('scheduled_events:read');
    expect(missingScopes(['contacts:write', 'groups'], ['contacts:read', 'webhooks:write', 'webhooks:write'])).toEqual([
      'webhooks:write',
    ]);
    expect(missingScopes(['scheduled_events:write'], ['scheduled_events:read'])).toEqual(['scheduled_events:read']);
  });
});

describe('a subscription request', () => {
  const request = {
    url: 'https://hooks.example.test/webhooks',
    events: ['contact.created'],
    organization: `${api}/organizations/o1`,
    scope: 'organization',
  };

  it('is taken with its organization, scope and events', () => {
    expect(accepts(subscriptionRequest, request)).toBe(true);
    expect(accepts(subscriptionRequest, { ...request, scope: 'user', user: `${api}/users/u1`, signing_key: 'k' })).toBe(
      true,
    );
  });

  it('is refused for an event its scope does not allow, or a user or group it does not name', () => {
    expect(complaints(subscriptionRequest, { ...request, events: ['meeting_recap.created'] })).toEqual(['events']);
    expect(complaints(subscriptionRequest, { ...request, scope: 'user' })).toEqual(['user']);
    expect(complaints(subscriptionRequest, { ...request, scope: 'group' })).toEqual(['group']);
  });

  it('is refused for events that allow different scopes, whichever comes first', () => {
    for (const schema of [subscriptionRequest, subscriptionRequestWithEventTypes]) {
      const form = 'routing_form_submission.created';
      expect(complaints(schema, { ...request, events: ['invitee.created', form] })).toEqual(['events']);
      expect(complaints(schema, { ...request, events: [form, 'contact.created'] })).toEqual(['events']);
      expect(accepts(schema, { ...request, events: [form] })).toBe(true);
      expect(accepts(schema, { ...request, events: ['contact.created', 'invitee.created'] })).toBe(true);
    }
  });

  it('is rejected without events, without a URL, or with an unknown key', () => {
    expect(complaints(subscriptionRequest, { ...request, events: [] })).toEqual(['events']);
    expect(complaints(subscriptionRequest, { ...request, url: 'file:///etc/passwd' })).toEqual(['url']);
    expect(accepts(subscriptionRequest, { ...request, colour: 'red' })).toBe(false);
  });

  it('takes event types only where the public service is followed', () => {
    const events = ['event_type.created'];
    expect(accepts(subscriptionRequest, { ...request, events })).toBe(false);
    expect(accepts(subscriptionRequestWithEventTypes, { ...request, events })).toBe(true);
  });
});

describe('a booking request', () => {
  const invitee = { email: 'ada@example.test', timezone: 'Europe/Berlin', name: 'Ada' };
  const request = { event_type: `${api}/event_types/t1`, start_time: '2026-03-05T10:00:00Z', invitee };

  it('is taken with a name or a first name', () => {
    expect(bookingRequest.parse(request).start_time).toBe('2026-03-05T10:00:00.000000Z');
    const { name: _, ...nameless } = invitee;
    expect(
      accepts(bookingRequest, {
        ...request,
        invitee: { ...nameless, first_name: 'Ada', text_reminder_number: '+4915555550100' },
      }),
    ).toBe(true);
    expect(complaints(bookingRequest, { ...request, invitee: nameless })).toEqual(['invitee.name']);
  });

  it.each([
    [{ kind: 'physical', location: 'Room 1' }, true],
    [{ kind: 'physical' }, false],
    [{ kind: 'zoom_conference' }, true],
    [{ kind: 'zoom_conference', location: 'x' }, false],
    [{ kind: 'outbound_call', location: '+15555550100' }, true],
    [{ kind: 'ask_invitee' }, false],
    [{ location: 'Room 1' }, false],
    [{ kind: 'teleport' }, false],
  ])('with the location %j is it taken: %s', (location, taken) => {
    expect(accepts(bookingRequest, { ...request, location })).toBe(taken);
  });

  it('is refused with eleven guests, a phone in no international form, or a zone that is none', () => {
    const event_guests = Array.from({ length: 11 }, (_, index) => `g${index}@example.test`);
    expect(complaints(bookingRequest, { ...request, event_guests })).toEqual(['event_guests']);
    expect(
      complaints(bookingRequest, { ...request, invitee: { ...invitee, text_reminder_number: '0155 550100' } }),
    ).toEqual(['invitee.text_reminder_number']);
    for (const timezone of ['+02:00', 'Mars/Olympus', '']) {
      expect(complaints(bookingRequest, { ...request, invitee: { ...invitee, timezone } })).toEqual([
        'invitee.timezone',
      ]);
    }
  });
});

describe('contact requests', () => {
  const emails = [{ email: 'ada@example.test', is_primary: true }];

  it('hold the limits: ten e-mails, ten phone numbers, one primary', () => {
    expect(
      accepts(contactCreateRequest, { emails, custom_fields: [{ uuid: 'f1', value: null, label: 'ignored' }] }),
    ).toBe(true);
    expect(accepts(contactCreateRequest, { emails: [...emails, ...emails] })).toBe(false);
    expect(accepts(contactCreateRequest, { emails: [{ email: 'ada@example.test', is_primary: false }] })).toBe(false);
    const eleven = Array.from({ length: 11 }, (_, index) => ({
      email: `a${index}@example.test`,
      is_primary: index === 0,
    }));
    expect(accepts(contactCreateRequest, { emails: eleven })).toBe(false);
    expect(
      accepts(contactUpdateRequest, {
        phone_numbers: Array.from({ length: 11 }, () => ({ phone_number: '+15555550100' })),
      }),
    ).toBe(false);
    expect(accepts(contactUpdateRequest, { job_title: null })).toBe(true);
    expect(accepts(contactUpdateRequest, { nickname: 'A' })).toBe(false);
  });

  it('a list query splits its filters, defaults its count and refuses what it does not know', () => {
    expect(
      contactListQuery.parse({
        email: 'a@example.test, b@example.test',
        sort: 'created_at:desc,updated_at:asc',
        count: '50',
      }),
    ).toEqual({
      email: ['a@example.test', 'b@example.test'],
      sort: ['created_at:desc', 'updated_at:asc'],
      count: 50,
    });
    expect(contactListQuery.parse({}).count).toBe(20);
    for (const query of [
      { count: '0' },
      { count: '101' },
      { count: 'x' },
      { sort: 'name:asc' },
      { exclude: 'emails' },
      { colour: 'red' },
    ]) {
      expect(accepts(contactListQuery, query)).toBe(false);
    }
  });
});

describe('custom field values', () => {
  const options = [{ uuid: 'o1' }, { uuid: 'o2' }];

  it.each([
    ['text', ['', 'a', null], [1, ['a']]],
    ['single_select', ['o1', null], ['o3', ['o1']]],
    ['number', [1.5, -2, null], ['1', [1]]],
    ['boolean', [true, null], ['true', 0]],
    ['currency', [85000, null], [1.5, '85000']],
    ['date', ['2026-02-28', null], ['2026-02-30', '28.2.2026', ['2026-02-28']]],
    ['tags', [[], ['a', 'b']], ['a', null, [1]]],
    ['invitee_question', ['a', 1, ['x'], null, { any: 1 }], []],
    ['of_tomorrow', ['a', 1, null], []],
  ])('of type %s fit or are refused', (field_type, right, wrong) => {
    const schema = customFieldValueFor({ field_type, options });
    for (const value of right) expect(accepts(schema, value)).toBe(true);
    for (const value of wrong) expect(accepts(schema, value)).toBe(false);
  });

  it('a single select without options takes nothing but null', () => {
    expect(accepts(customFieldValueFor({ field_type: 'single_select' }), null)).toBe(true);
    expect(accepts(customFieldValueFor({ field_type: 'single_select' }), 'o1')).toBe(false);
  });

  it('a definition of any type is read', () => {
    for (const field_type of ['boolean', 'invitee_question', 'of_tomorrow']) {
      expect(customFieldDefinition.parse({ uri: `${api}/d/1`, field_type, width: 3 })).toEqual({
        uri: `${api}/d/1`,
        field_type,
        width: 3,
      });
    }
  });
});

describe('answers', () => {
  it('a page holds its collection, with a cursor or without; a resource is under one key', () => {
    const pagination = { count: 1, next_page: null, next_page_token: 't' };
    expect(collection.parse({ collection: [contactRecord], pagination })).toEqual({
      collection: [contactRecord],
      pagination,
    });
    for (const odd of [{}, { pagination: null }, { pagination: 'none' }])
      expect(accepts(collection, { collection: [contactRecord, 7], ...odd })).toBe(true);
    expect(accepts(collection, { pagination })).toBe(false);
    expect(accepts(resource, { resource: contactRecord })).toBe(true);
  });

  it('errors are read with or without details', () => {
    expect(accepts(errorBody, { title: 'T', message: 'M' })).toBe(true);
    expect(
      accepts(errorBody, { title: 'T', message: 'M', details: [{ message: 'is blank', parameter: 'email' }] }),
    ).toBe(true);
    expect(accepts(insufficientScopeBody, { ...insufficientScope, required_scopes: ['contacts:read'] })).toBe(true);
    expect(accepts(insufficientScopeBody, insufficientScope)).toBe(false);
  });

  it('an invitation needs an address', () => {
    expect(accepts(invitationRequest, { email: 'ada@example.test' })).toBe(true);
    for (const request of [{}, { email: '' }, { email: 'ada' }, { email: 'ada@example.test', role: 'owner' }])
      expect(accepts(invitationRequest, request)).toBe(false);
  });
});
