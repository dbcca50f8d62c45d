// A contact as the service sends it, by webhook (flat or nested, A4b) and in lists.
import { z } from 'zod';
import { contactCustomField } from './custom-field.ts';
import { noNotes, type EventContract } from './event.ts';
import { limits } from './limits.ts';
import { flag, isObject, moment, text, uri, type JsonObject } from './wire.ts';

export const contact = z.looseObject({
  uri,
  emails: z.nullish(z.array(z.looseObject({ email: text, is_primary: flag }))),
  created_at: moment,
  updated_at: moment,
  name: text,
  phone_numbers: z.nullish(z.array(z.looseObject({ phone_number: text }))),
  timezone: text,
  job_title: text,
  company: text,
  country: text,
  state: text,
  city: text,
  linkedin: text,
  custom_fields: z.nullish(z.array(contactCustomField)),
  first_email_date: moment,
  last_email_date: moment,
  next_meeting_date: moment,
  last_meeting_date: moment,
  last_interaction_date: moment,
  creation_source: text,
  /** Whose contact it is: only deliveries say so. */
  user_uuid: text,
});

export const deletedContact = z.looseObject({ uri, deleted_at: moment });

export type Contact = z.output<typeof contact>;
export type DeletedContact = z.output<typeof deletedContact>;

/** The public service nests the record beside a `user_uuid`; the specification describes it flat. */
function unwrap(payload: JsonObject): JsonObject {
  const { contact: nested, user_uuid } = payload;
  return isObject(nested) ? { ...(user_uuid !== undefined && { user_uuid }), ...nested } : payload;
}

function notes({ emails, phone_numbers }: Contact): readonly string[] {
  const found: string[] = [];
  if ((emails?.length ?? 0) > limits.emailsPerContact) found.push('emails: more than 10');
  if ((phone_numbers?.length ?? 0) > limits.phoneNumbersPerContact) found.push('phone_numbers: more than 10');
  if (emails && emails.filter((email) => email.is_primary === true).length !== 1)
    found.push('emails: not exactly one primary');
  return found;
}

const facts = {
  family: 'contact',
  allowedScopes: ['organization', 'user', 'group'],
  requiredCallerScope: 'contacts:read',
  inRequestEnum: true,
  unwrap,
} as const;

const present = { ...facts, schema: contact, notes } as const satisfies EventContract<Contact>;
const deleted = { ...facts, schema: deletedContact, notes: noNotes } as const satisfies EventContract<DeletedContact>;

export const contactEvents = {
  'contact.created': present,
  'contact.updated': present,
  'contact.deleted': deleted,
} as const;
