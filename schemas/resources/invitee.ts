// An invitee, field by field as the specification's table has it.
import { z } from 'zod';
import { inviteeStatuses, paymentCurrencies, paymentProviders, schedulingMethods } from '#schemas/invitee.ts';
import { limits } from '#schemas/limits.ts';
import { uri } from '#schemas/wire.ts';
import { cancellationResource, scheduledEventResource } from './scheduled-event.ts';
import { instant, nullableText, nullableUri } from './values.ts';

export const trackingResource = z.strictObject({
  utm_campaign: nullableText,
  utm_source: nullableText,
  utm_medium: nullableText,
  utm_content: nullableText,
  utm_term: nullableText,
  salesforce_uuid: nullableText,
});

export const inviteeResource = z.strictObject({
  uri,
  email: z.email(),
  first_name: nullableText,
  last_name: nullableText,
  name: z.string(),
  status: z.enum(inviteeStatuses),
  questions_and_answers: z.array(
    z.strictObject({ question: z.string(), answer: z.string(), position: z.int().min(0) }),
  ),
  timezone: nullableText,
  event: uri,
  created_at: instant,
  updated_at: instant,
  tracking: trackingResource,
  text_reminder_number: nullableText,
  rescheduled: z.boolean(),
  old_invitee: nullableUri,
  new_invitee: nullableUri,
  cancel_url: z.url(),
  reschedule_url: z.url(),
  routing_form_submission: nullableUri,
  payment: z
    .strictObject({
      external_id: z.string(),
      provider: z.enum(paymentProviders),
      amount: z.number(),
      currency: z.enum(paymentCurrencies),
      terms: z.string().max(limits.paymentTermsCharacters).nullable(),
      successful: z.boolean(),
    })
    .nullable(),
  no_show: z.strictObject({ uri, created_at: instant }).nullable(),
  reconfirmation: z.strictObject({ created_at: instant, confirmed_at: instant.nullable() }).nullable(),
  scheduling_method: z.enum(schedulingMethods).nullable(),
  invitee_scheduled_by: nullableUri,
  cancellation: cancellationResource.optional(),
});

/** What marking an invitee answers, and the URI of the mark. Not shown (A14). */
export const noShowResource = z.strictObject({ uri, invitee: uri, created_at: instant });

/** What `invitee.*` and `invitee_no_show.*` deliver: the invitee with its meeting (A4a). */
export const inviteePayload = inviteeResource.extend({ scheduled_event: scheduledEventResource });

export type InviteeResource = z.output<typeof inviteeResource>;
export type TrackingResource = z.output<typeof trackingResource>;
