// Bodies made up for these tests: small, readable, and never a real person's.

export const api = 'https://api.example.test';
export const inviteeUri = `${api}/scheduled_events/e1/invitees/i1`;

/** A delivery as text; `over` replaces or adds envelope keys. */
export function bodyOf(event: string, payload: unknown, over: Record<string, unknown> = {}): string {
  const created_by = `${api}/users/u1`;
  return JSON.stringify({ event, created_at: '2026-03-01T10:00:00.000000Z', created_by, payload, ...over });
}

export const fullInvitee = {
  uri: inviteeUri,
  email: 'ada@example.test',
  first_name: null,
  last_name: null,
  name: 'Ada Example',
  status: 'active',
  questions_and_answers: [
    { question: 'Company? ', answer: 'Example\nOther', position: 0 },
    { question: 'Size', answer: '', position: 3 },
  ],
  timezone: 'Europe/Berlin',
  event: `${api}/scheduled_events/e1`,
  created_at: '2026-03-01T09:59:59.123Z',
  updated_at: '2026-03-01T10:59:59+01:00',
  tracking: {
    utm_campaign: 'spring',
    utm_source: null,
    utm_medium: null,
    utm_content: null,
    utm_term: null,
    salesforce_uuid: null,
  },
  text_reminder_number: null,
  rescheduled: false,
  old_invitee: null,
  new_invitee: null,
  cancel_url: 'https://example.test/cancellations/i1',
  reschedule_url: 'https://example.test/reschedulings/i1',
  routing_form_submission: null,
  payment: { external_id: 'p1', provider: 'stripe', amount: '12.50', currency: 'EUR', terms: null, successful: true },
  no_show: null,
  reconfirmation: { created_at: '2026-03-01T10:00:00Z', confirmed_at: null },
  scheduling_method: 'api',
  invitee_scheduled_by: null,
  scheduled_event: {
    uri: `${api}/scheduled_events/e1`,
    name: 'Intro',
    status: 'active',
    start_time: '2026-03-05T10:00:00Z',
    end_time: '2026-03-05T10:30:00Z',
    event_type: `${api}/event_types/t1`,
    location: {
      type: 'zoom',
      status: 'pushed',
      join_url: 'https://zoom.test/j/1',
      data: { id: 80000000000, extra: null, settings: {} },
    },
    invitees_counter: { total: 1, active: 1, limit: 1 },
    event_memberships: [{ user: `${api}/users/u1`, user_email: 'host@example.test' }],
    event_guests: [{ email: 'guest@example.test', created_at: '2026-03-01T10:00:00Z' }],
  },
};

export const contactRecord = {
  uri: `${api}/contacts/c1`,
  name: 'Ada Example',
  emails: [{ email: 'ada@example.test', is_primary: true }],
  custom_fields: [{ uri: `${api}/contacts/custom_field_definitions/f1`, label: 'Tags', value: ['a', 'b'] }],
  created_at: '2026-02-01T10:00:00Z',
  updated_at: '2026-03-01T10:00:00.444Z',
};
