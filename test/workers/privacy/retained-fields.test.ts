// What remains of an erased person's record: links, times and statistics; every other field of its table is null.
import { describe, expect, it } from 'vitest';
import { retainFields } from '#workers/privacy/retained-fields.ts';

const uri = 'https://api.example.test/things/1';
const times = { uri, created_at: '2025-01-01T00:00:00.000000Z', updated_at: '2025-01-02T00:00:00.000000Z' };

describe('the retained fields', () => {
  it('of an invitee are its links, its state and what statistics need', () => {
    const record = {
      ...times,
      name: 'Ada',
      email: 'ada@example.test',
      status: 'canceled',
      event: 'https://api.example.test/scheduled_events/1',
      cancellation: { canceler_type: 'invitee', reason: 'Ada is ill', created_at: times.created_at },
      tracking: { utm_source: 'newsletter', salesforce_uuid: 'ada' },
      payment: { provider: 'stripe', amount: 12, currency: 'EUR', terms: 'Ada pays', successful: true },
    };
    expect(retainFields('invitees', record)).toEqual({
      ...times,
      name: null,
      email: null,
      status: 'canceled',
      event: record.event,
      cancellation: { canceler_type: 'invitee', created_at: times.created_at },
      tracking: { utm_source: 'newsletter' },
      payment: { provider: 'stripe', amount: 12, currency: 'EUR', successful: true },
    });
  });

  it('are null where they were present, so that no older value reappears, and absent where they were absent', () => {
    expect(retainFields('contacts', { ...times, name: 'Ada', city: null })).toEqual({
      ...times,
      name: null,
      city: null,
    });
    expect(retainFields('invitees', { uri, cancellation: null, no_show: 'Ada' })).toEqual({
      uri,
      cancellation: null,
      no_show: null,
    });
  });

  it.each([
    ['physical', 'Main Street 1', { type: 'physical', location: 'Main Street 1' }],
    ['outbound_call', '+49 30 5550199', { type: 'outbound_call' }],
  ])('of a meeting include a %s location only when the host chose it', (type, place, retained) => {
    const meeting = { uri, location: { type, location: place } };
    expect(retainFields('scheduled_events', meeting)).toEqual({ uri, location: retained });
    expect(retainFields('invitees', { uri, scheduled_event: meeting })).toEqual({
      uri,
      scheduled_event: { uri, location: retained },
    });
  });

  it.each([
    [{ type: 'event_type', value: 'https://api.example.test/event_types/1' }, ['type', 'value']],
    [{ type: 'custom_message', value: { headline: 'Thank you, Ada' } }, ['type']],
  ])('of a form submission include where it led only when that is an event type', (result, names) => {
    const { result: retained } = retainFields('routing_form_submissions', { uri, result });
    expect(Object.keys(retained as object)).toEqual(names);
  });
});
