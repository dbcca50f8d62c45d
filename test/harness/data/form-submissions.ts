// The raw deliveries about one submission of a routing form: the submission, and the booking that refers to it.
import { noShowBooking } from './no-show-bookings.ts';

export const contactForm = {
  uri: 'https://api.scheduling.test/routing_forms/F1',
  name: 'Contact sales',
  questions: [
    { uuid: 'q-name', name: 'Who are you?', type: 'name' },
    { uuid: 'q-size', name: 'Company size', type: 'select' },
  ],
};

export function formSubmission(index: number, atMs: number, more: Readonly<Record<string, unknown>> = {}) {
  const uri = `https://api.scheduling.test/routing_form_submissions/S${index}`;
  const at = new Date(atMs).toISOString();
  const payload = {
    uri,
    routing_form: contactForm.uri,
    questions_and_answers: [
      { question_uuid: 'q-name', question: 'Who are you?', answer: `Lead ${index}` },
      { question_uuid: 'q-mail', question: 'Where can we write to?', answer: `lead-${index}@example.test` },
      { question_uuid: 'q-size', question: 'Company size', answer: '200+' },
    ],
    tracking: { utm_source: 'newsletter', utm_campaign: 'spring' },
    result: { type: 'event_type', value: 'https://api.scheduling.test/event_types/T1' },
    created_at: at,
    updated_at: at,
    ...more,
  };
  const booking = noShowBooking(index, atMs + 86_400_000 + 3_600_000);
  const envelope = JSON.parse(booking.booked) as { readonly payload: object };
  return {
    uri,
    submitted: JSON.stringify({ event: 'routing_form_submission.created', created_at: at, payload }),
    /** A booking an hour later. */
    booked: JSON.stringify({ ...envelope, payload: { ...envelope.payload, routing_form_submission: uri } }),
    bookingName: booking.name,
  };
}
