import { describe, expect, it } from 'vitest';
import { readDelivery } from '#schemas/delivery.ts';

const uri = 'https://api.example.test/x/1';
const bodyOf = (event: string, payload: object) =>
  JSON.stringify({ event, created_at: '2025-04-14T11:42:33Z', payload });
const booking = (part: object) => bodyOf('invitee.created', { uri, scheduled_event: { uri, ...part } });

describe('a part of an undocumented shape', () => {
  it.each([
    ['counter', booking({ invitees_counter: { limit: 'unlimited' } })],
    ['guests', booking({ event_guests: ['a@example.test'] })],
    ['hosts', booking({ event_memberships: [uri] })],
    ['location', booking({ location: 'Room 1' })],
    ['meeting link', booking({ location: { join_url: { href: uri } } })],
    ['cancellation of the event', booking({ cancellation: 'weather' })],
    ['locations of an event type', bodyOf('event_type.created', { uri, locations: ['zoom'] })],
    ['answer choices', bodyOf('event_type.created', { uri, custom_questions: [{ answer_choices: [1, 2] }] })],
    ['attendees', bodyOf('meeting_recap.created', { uri, event: { attendees: ['x'] } })],
    ['custom field', bodyOf('contact.created', { uri, custom_fields: [{ uuid: 'x', value: 1 }] })],
    ['e-mail', bodyOf('contact.created', { uri, emails: [{ email: null }] })],
  ])('is kept as it came, and quarantines nothing: %s', (_name, body) => {
    const read = readDelivery(body);
    expect(read.state).toBe('known');
    if (read.state === 'known') expect(read.payload).toMatchObject(JSON.parse(body).payload as object);
  });
});
