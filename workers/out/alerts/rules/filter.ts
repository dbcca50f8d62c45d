// Which bookings a rule is about: by event type, host, e-mail domain, fields of the contact and UTM parameters.
import { hostsOf } from '#src/read/bookings/hosts.ts';
import { z } from 'zod';
import { propertyOf } from '#schemas/wire.ts';
import { utmColumns } from '#src/store/schema/tables.ts';
import type { BookingContext, ContactContext } from '#src/read/bookings/booking-context.ts';

/** One text or a list of texts, of which any may match. */
export const oneOrMore = z.union([
  z
    .string()
    .min(1)
    .transform((one) => [one]),
  z.array(z.string().min(1)).min(1),
]);

const scalar = z.union([z.string(), z.number(), z.boolean()]);
type Scalar = z.output<typeof scalar>;

/** Values by name; a list matches any of its values. All names must match. */
export const fieldValues = z.record(z.string().min(1), z.union([scalar, z.array(scalar).min(1)]));
type FieldValues = z.output<typeof fieldValues>;

export const utmFilters = {
  utm_source: oneOrMore,
  utm_medium: oneOrMore,
  utm_campaign: oneOrMore,
  utm_content: oneOrMore,
  utm_term: oneOrMore,
} satisfies Record<(typeof utmColumns)[number], z.ZodType>;

export const filter = z
  .strictObject({
    /** By URI or by name. */
    event_type: oneOrMore,
    /** By the user's URI, e-mail address or name. */
    host: oneOrMore,
    /** `example.com` and its subdomains. */
    email_domain: oneOrMore,
    /** By column (`company`) or by the label of a custom field. */
    contact: fieldValues,
    ...utmFilters,
  })
  .partial();
export type Filter = z.output<typeof filter>;

export function matchesFilter(wanted: Filter, context: BookingContext): boolean {
  const { invitee, event } = context;
  return (
    // The name at the time of booking: renaming an event type later does not change which bookings match.
    isOneOf([event?.event_type, event?.name], wanted.event_type) &&
    isOneOf(
      hostsOf(context).flatMap(({ uri, email, name }) => [uri, email, name]),
      wanted.host,
    ) &&
    (wanted.email_domain === undefined || wanted.email_domain.some((domain) => isInDomain(invitee.email, domain))) &&
    (wanted.contact === undefined || matchesContact(wanted.contact, context)) &&
    utmColumns.every((column) => isOneOf([invitee[column]], wanted[column]))
  );
}

/** Whether one of the values is wanted; true where nothing is asked for. */
export function isOneOf(values: readonly unknown[], wanted: Scalar | readonly Scalar[] | undefined): boolean {
  const accepted = typeof wanted === 'object' ? wanted : [wanted];
  return wanted === undefined || accepted.some((one) => values.some((value) => isSame(value, one)));
}

/** False when the invitee has no contact, unless no field is asked for. */
export function matchesContact(wanted: FieldValues, { contact }: BookingContext): boolean {
  return Object.entries(wanted).every(([name, value]) => contact !== undefined && hasField(contact, name, value));
}

function hasField(
  { row, fields, optionUuids }: ContactContext,
  name: string,
  wanted: Scalar | readonly Scalar[],
): boolean {
  const own = propertyOf(row, name);
  const value = own ?? fields.get(name);
  // A list, such as tags, matches with any of its values.
  const values: readonly unknown[] = Array.isArray(value) ? value : [value, optionUuids?.get(name)];
  return isOneOf(values, wanted);
}

function isSame(value: unknown, wanted: unknown): boolean {
  if (typeof value === 'string' && typeof wanted === 'string') return value.toLowerCase() === wanted.toLowerCase();
  return value === wanted;
}

function isInDomain(email: string | null, domain: string): boolean {
  const wanted = domain.toLowerCase().replace(/^@/, '');
  return [`@${wanted}`, `.${wanted}`].some((end) => email?.toLowerCase().endsWith(end) === true);
}
