// What remains of an erased person's record: links, times and statistics; every other field of its table is null.
import { expect, it } from 'vitest';
import type { JsonObject } from '#schemas/wire.ts';
import type { MirrorTable } from '#workers/fold/projections/contract.ts';
import { retainFields } from '#workers/fold/privacy/retained-fields.ts';
import { expectGolden, yamlOf } from '../../../harness/golden.ts';

const uri = 'https://api.example.test/things/1';
const times = { uri, created_at: '2025-01-01T00:00:00.000000Z', updated_at: '2025-01-02T00:00:00.000000Z' };
const physical = { uri, location: { type: 'physical', location: 'Main Street 1' } };
const call = { uri, location: { type: 'outbound_call', location: '+49 30 5550199' } };
const invitee = {
  ...times,
  name: 'Ada',
  email: 'ada@example.test',
  status: 'canceled',
  event: 'https://api.example.test/scheduled_events/1',
  cancellation: { canceler_type: 'invitee', reason: 'Ada is ill', created_at: times.created_at },
  tracking: { utm_source: 'newsletter', salesforce_uuid: 'ada' },
  payment: { provider: 'stripe', amount: 12, currency: 'EUR', terms: 'Ada pays', successful: true },
};

const records: Readonly<Record<string, readonly [table: MirrorTable, record: JsonObject]>> = {
  'an invitee': ['invitees', invitee],
  'an invitee without a cancellation, with an odd mark': ['invitees', { uri, cancellation: null, no_show: 'Ada' }],
  'an invitee with a meeting where the host said': ['invitees', { uri, scheduled_event: physical }],
  'an invitee with a meeting where the invitee said': ['invitees', { uri, scheduled_event: call }],
  'a contact: null where a value was present, so that no older one reappears': [
    'contacts',
    { ...times, name: 'Ada', city: null },
  ],
  'a meeting where the host said': ['scheduled_events', physical],
  'a meeting where the invitee said': ['scheduled_events', call],
  'a form that led to an event type': [
    'routing_form_submissions',
    { uri, result: { type: 'event_type', value: 'https://api.example.test/event_types/1' } },
  ],
  'a form that led to a message': [
    'routing_form_submissions',
    { uri, result: { type: 'custom_message', value: { headline: 'Thank you, Ada' } } },
  ],
};

it('the retained fields are those of golden/retained.txt, and name no person', async () => {
  const retained = Object.entries(records).map(([title, [table, record]]) => [title, retainFields(table, record)]);
  const text = yamlOf(Object.fromEntries(retained));
  expect(text).not.toMatch(/ada|5550199/i);
  await expectGolden(text, 'golden/retained.txt');
});
