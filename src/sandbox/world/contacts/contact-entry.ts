// A contact as the sandbox stores it, and how e-mail addresses are compared.
import type { CustomFieldValue } from '#schemas/resources/contact.ts';

/** The fields users edit. */
export interface ContactDetails {
  readonly emails: readonly { readonly email: string; readonly is_primary: boolean }[];
  readonly phone_numbers: readonly { readonly phone_number: string }[];
  readonly name: string | null;
  readonly timezone: string | null;
  readonly job_title: string | null;
  readonly company: string | null;
  readonly country: string | null;
  readonly state: string | null;
  readonly city: string | null;
  readonly linkedin: string | null;
  /** Only custom fields with a value, by the URI of their definition. */
  readonly values: ReadonlyMap<string, CustomFieldValue>;
}

/** A stored contact. Derived fields (meeting dates, labels, unset custom fields) are added when it is returned. */
export interface ContactEntry extends ContactDetails {
  readonly uri: string;
  /** The user it belongs to. */
  readonly owner: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly first_email_date: string | null;
  readonly last_email_date: string | null;
  readonly creation_source: 'scheduling' | 'manual' | 'api';
}

/** The form addresses are indexed and compared in: stored as written, compared without letter case. */
export const addressKey = (email: string): string => email.toLowerCase();

export const isSameAddress = (a: string, b: string): boolean => addressKey(a) === addressKey(b);
