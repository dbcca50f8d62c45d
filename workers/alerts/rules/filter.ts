// Which bookings a rule is about: by event type, host, the invitee's domain, fields of their contact, and where they came from.
import { z } from 'zod';
import { fieldValue, isSame, matchesField } from './contact-match.ts';
import type { Case } from './rule.ts';

const oneOrMore = z.union([
  z
    .string()
    .min(1)
    .transform((one) => [one]),
  z.array(z.string().min(1)).min(1),
]);

const tags = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_content', 'utm_term'] as const;

export const filter = z
  .strictObject({
    /** By URI or by name. */
    event_type: oneOrMore,
    /** By the user's URI, address or name. */
    host: oneOrMore,
    /** `example.com`, and what is beneath it. */
    email_domain: oneOrMore,
    /** By its own name or the label of a custom field. All must match. */
    contact: z.record(z.string().min(1), fieldValue),
    utm_source: oneOrMore,
    utm_medium: oneOrMore,
    utm_campaign: oneOrMore,
    utm_content: oneOrMore,
    utm_term: oneOrMore,
  })
  .partial();
export type Filter = z.output<typeof filter>;

export function passes(wanted: Filter, known: Case): boolean {
  const { invitee, event, contact } = known;
  const isOneOf = (values: readonly unknown[], of: readonly string[] | undefined): boolean =>
    of === undefined || of.some((one) => values.some((value) => isSame(value, one)));
  return (
    // Its name as it was booked: a type that is renamed later does not change what was so.
    isOneOf([event?.event_type, event?.name], wanted.event_type) &&
    isOneOf(
      hostsOf(known).flatMap(({ uri, email, name }) => [uri, email, name]),
      wanted.host,
    ) &&
    (wanted.email_domain === undefined || wanted.email_domain.some((domain) => isBeneath(invitee.email, domain))) &&
    Object.entries(wanted.contact ?? {}).every(
      ([name, value]) => contact !== undefined && matchesField(contact, name, value),
    ) &&
    tags.every((tag) => isOneOf([invitee[tag]], wanted[tag]))
  );
}

export interface Host {
  readonly uri: string | undefined;
  readonly email: string | undefined;
  readonly name: string | undefined;
}

/** What is no text in them is left out: they are JSON, as the service sent it. */
export function hostsOf({ event }: Pick<Case, 'event'>): readonly Host[] {
  const hosts = Array.isArray(event?.hosts) ? event.hosts : [];
  return hosts.map((host) => {
    const { user, user_email, user_name } = (host ?? {}) as Readonly<Record<string, unknown>>;
    return { uri: textIn(user), email: textIn(user_email), name: textIn(user_name) };
  });
}

const textIn = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

function isBeneath(email: string | null, domain: string): boolean {
  const own = email?.split('@').at(-1)?.toLowerCase() ?? '';
  const wanted = domain.toLowerCase().replace(/^@/, '');
  return own === wanted || own.endsWith(`.${wanted}`);
}
