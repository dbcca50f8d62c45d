// The same changes as two services tell them: contacts and bookings for us, customers for the sync engines. Bodies of one change
// are equally long on both sides.
import { createHmac } from 'node:crypto';
import { instantOf } from '#src/base/time.ts';
import { request, requestBytes } from '../deliveries.ts';

export const stripeSecret = 'whsec_bench_signing_secret';

export interface Change {
  readonly kind: 'created' | 'updated' | 'deleted';
  /** A new booking instead of a new contact; the engines get a new customer for either. */
  readonly isBooking?: boolean;
  readonly row: string;
  /** The name that the row has after this change. */
  readonly name: string;
  /** When it happened: the engines' events carry only the second. */
  readonly atMs: number;
  readonly bytes: number;
  /** How many times its address and title have changed, where dates and a custom field change every time. */
  readonly edition?: number;
}

export const startMs = Date.parse('2026-01-01T00:00:00Z');
const base = 'https://api.scheduling.test';
const fields = ['Segment', 'Notes', 'Seats', 'Value', 'Region', 'Renewal', 'Source', 'Owner'];

export const contactUri = (row: string): string => `${base}/contacts/${row}`;
export const customerId = (row: string): string => `cus_${row}`;

export function ourRequest(change: Change): Buffer {
  return request(change.isBooking === true ? bookingBody(change) : contactBody(change));
}

export function stripeRequest(change: Change): Buffer {
  const body = Buffer.from(customerBody(change));
  const at = Math.floor(Date.now() / 1000);
  const mac = createHmac('sha256', stripeSecret).update(`${at}.`).update(body).digest('hex');
  return requestBytes({ 'stripe-signature': `t=${at},v1=${mac}` }, body);
}

/** Fills custom fields (metadata, answers) until the body is as long as wanted; the longer, the more fields have a value. */
function padded(bytes: number, make: (values: readonly string[]) => object): string {
  const count = bytes > 1500 ? fields.length : 2;
  const without = JSON.stringify(make(Array.from({ length: count }, () => ''))).length;
  const each = Math.max(0, Math.ceil((bytes - without) / count));
  return JSON.stringify(make(Array.from({ length: count }, (_, at) => filler(each, at))));
}

function filler(length: number, at: number): string {
  return 'account plan renewal region owner '.repeat(Math.ceil(length / 34) + 1).slice(at, at + length);
}

function contactBody({ kind, row, name, atMs, bytes, edition }: Change): string {
  const at = instantOf(atMs);
  const met = edition === undefined ? null : at;
  const envelope = (contact: object) => ({
    event: `contact.${kind}`,
    created_at: at,
    created_by: `${base}/users/bench`,
    payload: { user_uuid: 'c25f16ef-3c05-4fbc-81d5-825369abb5e9', contact: { uri: contactUri(row), ...contact } },
  });
  if (kind === 'deleted') return JSON.stringify(envelope({ deleted_at: at }));
  return padded(bytes, (values) =>
    envelope({
      name,
      emails: [{ email: `${row}${edition ?? ''}@example.test`, is_primary: true }],
      phone_numbers: [],
      timezone: 'Europe/Berlin',
      job_title: edition === undefined ? null : `Engineer ${edition}`,
      company: 'Example',
      country: null,
      state: null,
      city: 'Berlin',
      linkedin: null,
      created_at: '2026-01-01T00:00:00.000000Z',
      updated_at: at,
      first_email_date: null,
      last_email_date: met,
      custom_fields: values.map((value, index) => ({
        uri: `${base}/contacts/custom_field_definitions/field-${index}`,
        value: index === 0 && met !== null ? `${met}${value}` : value,
        label: fields[index],
      })),
      next_meeting_date: null,
      last_meeting_date: met,
      last_interaction_date: met,
      creation_source: 'scheduling',
    }),
  );
}

function bookingBody({ row, name, atMs, bytes }: Change): string {
  const at = instantOf(atMs);
  const event = `${base}/scheduled_events/${row}`;
  return padded(bytes, (values) => ({
    event: 'invitee.created',
    created_at: at,
    created_by: `${base}/users/bench`,
    payload: {
      uri: `${event}/invitees/${row}`,
      email: `${row}@example.test`,
      name,
      status: 'active',
      timezone: 'Europe/Berlin',
      event,
      created_at: at,
      updated_at: at,
      questions_and_answers: values.map((answer, position) => ({ question: fields[position], answer, position })),
      tracking: { utm_campaign: 'partners', utm_source: 'newsletter', utm_medium: 'email' },
      rescheduled: false,
      old_invitee: null,
      new_invitee: null,
      cancel_url: `${base}/cancellations/${row}`,
      reschedule_url: `${base}/reschedulings/${row}`,
      scheduled_event: {
        uri: event,
        name: 'Site walk',
        status: 'active',
        start_time: '2026-03-02T14:30:00.000000Z',
        end_time: '2026-03-02T16:00:00.000000Z',
        event_type: `${base}/event_types/22349b85-6914-4dbf-8f92-7739ae6f952b`,
        created_at: at,
        updated_at: at,
        event_memberships: [{ user: `${base}/users/bench`, user_name: 'Hamza Kimura' }],
      },
    },
  }));
}

function customerBody({ kind, row, name, atMs, bytes, edition }: Change): string {
  return padded(bytes, (values) => ({
    id: `evt_${row}_${atMs}`,
    object: 'event',
    api_version: '2020-08-27',
    created: Math.floor(atMs / 1000),
    data: {
      object: {
        id: customerId(row),
        object: 'customer',
        address: null,
        balance: 0,
        created: Math.floor(startMs / 1000),
        currency: 'eur',
        default_source: null,
        delinquent: false,
        description: edition === undefined ? null : `Engineer ${edition}`,
        discount: null,
        email: `${row}${edition ?? ''}@example.test`,
        invoice_prefix: '1A2B3C4D',
        invoice_settings: { custom_fields: null, default_payment_method: null, footer: null },
        livemode: false,
        metadata: Object.fromEntries(
          values.map((value, index) => [
            `${fields[index]}`,
            index === 0 && edition !== undefined ? `${atMs}${value}` : value,
          ]),
        ),
        name,
        next_invoice_sequence: 1,
        phone: null,
        preferred_locales: ['de'],
        shipping: null,
        tax_exempt: 'none',
      },
    },
    livemode: false,
    pending_webhooks: 1,
    request: { id: null, idempotency_key: null },
    type: `customer.${kind}`,
  }));
}
