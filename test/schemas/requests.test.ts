// What requests may hold, beyond test/conformance.
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { customFieldValueFor } from '#schemas/custom-field.ts';
import { subscriptionRequest } from '#schemas/subscription.ts';
import { api } from './bodies.ts';

const accepts = (schema: z.ZodType, value: unknown) => schema.safeParse(value).success;

it('a request for a subscription names a web address', () => {
  const organization = `${api}/organizations/o1`;
  const request = { events: ['contact.created'], organization, scope: 'organization' };
  expect(accepts(subscriptionRequest, { ...request, url: 'https://hooks.example.test/' })).toBe(true);
  expect(accepts(subscriptionRequest, { ...request, url: 'file:///etc/passwd' })).toBe(false);
});

describe('custom field values', () => {
  const options = [{ uuid: 'o1' }, { uuid: 'o2' }];

  it.each([
    ['boolean', [true, null], ['true', 0]],
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
