import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { missingScopes } from '#schemas/api-scope.ts';
import { contactListQuery } from '#schemas/contact-request.ts';
import { customFieldValueFor } from '#schemas/custom-field.ts';
import { contractOf, eventKinds, requestEventKinds, type EventKind } from '#schemas/events.ts';
import { collection } from '#schemas/pagination.ts';
import { eventsRefusedBy, subscriptionRequest } from '#schemas/subscription.ts';
import { api, contactRecord } from './bodies.ts';

const accepts = (schema: z.ZodType, value: unknown) => schema.safeParse(value).success;

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

// What else requests may hold is test/conformance.
describe('a request', () => {
  it('for a subscription names a web address', () => {
    const organization = `${api}/organizations/o1`;
    const request = { events: ['contact.created'], organization, scope: 'organization' };
    expect(accepts(subscriptionRequest, { ...request, url: 'https://hooks.example.test/' })).toBe(true);
    expect(accepts(subscriptionRequest, { ...request, url: 'file:///etc/passwd' })).toBe(false);
  });

  it('for contacts splits its filters and trims them', () => {
    const query = { email: 'a@example.test, b@example.test', sort: 'created_at:desc,updated_at:asc', count: '50' };
    expect(contactListQuery.parse(query)).toEqual({
      email: ['a@example.test', 'b@example.test'],
      sort: ['created_at:desc', 'updated_at:asc'],
      count: 50,
    });
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
});

it('a page is a list, with a cursor or without, whatever is in it', () => {
  for (const odd of [{}, { pagination: null }, { pagination: 'none' }, { pagination: { next_page_token: 't' } }])
    expect(accepts(collection, { collection: [contactRecord, 7], ...odd })).toBe(true);
  expect(accepts(collection, { pagination: { count: 1 } })).toBe(false);
});
