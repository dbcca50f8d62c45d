// A contact as the sandbox stores it, and how e-mail addresses are compared.
import type { ContactResource, CustomFieldValue } from '#schemas/resources/contact.ts';

type Fields<Name extends keyof ContactResource> = Readonly<Pick<ContactResource, Name>>;
type ResidenceField = 'timezone' | 'country' | 'state' | 'city';

/** The fields users edit. */
export interface ContactDetails extends Fields<
  'emails' | 'phone_numbers' | 'name' | 'job_title' | 'company' | 'linkedin' | ResidenceField
> {
  /** Only custom fields with a value, by the URI of their definition. */
  readonly values: ReadonlyMap<string, CustomFieldValue>;
}

/** A stored contact. Derived fields (meeting dates, labels, unset custom fields) are added when it is returned. */
export interface ContactEntry
  extends ContactDetails, Fields<'uri' | 'created_at' | 'updated_at' | 'first_email_date' | 'last_email_date'> {
  /** The user it belongs to. */
  readonly owner: string;
  readonly creation_source: 'scheduling' | 'manual' | 'api';
}

/** The form addresses are indexed and compared in: stored as written, compared without letter case. */
export const addressKey = (email: string): string => email.toLowerCase();

export const isSameAddress = (a: string, b: string): boolean => addressKey(a) === addressKey(b);
