// The description of a setting, and the readers that parse its text from the environment into a typed value.
import { z } from 'zod';
import { allEventKinds, type EventKind } from '#schemas/events.ts';
import { nearestName } from '#src/base/did-you-mean.ts';
import { zonePeriods } from '#src/base/time-zone.ts';
import { durationMs } from '#src/base/time.ts';

export interface Setting<Value = unknown> {
  readonly reads: z.ZodType<Value>;
  /** For the documentation; the real default is in `reads`, or derived from other settings in load.ts. */
  readonly default: string;
  readonly meaning: string;
  /** Its value never appears in an error. URLs count, because they can contain passwords. */
  readonly secret?: true;
  readonly alias?: string;
  /** Blank is an error here, not "unset": a missing key must not go unnoticed. */
  readonly blankRefused?: true;
}

export const text = z.string().optional();

const spanOf = (form: RegExp) => z.string().regex(form, 'a duration such as 30s, 5m, 1h or 1d').transform(durationMs);

/** Milliseconds. */
export const span = spanOf(/^[1-9]\d{0,5}[smhd]$/);
/** Milliseconds; `0` for none. */
export const spanOrNone = spanOf(/^([1-9]\d{0,5}[smhd]|0[smhd]?)$/);

/** Milliseconds; 0 for `off`. */
export const spanOrOff = z
  .string()
  .regex(/^([1-9]\d{0,5}[smhd]|0[smhd]?|off)$/, 'a duration such as 30s, 5m, 1h or 1d, or off')
  .transform((text) => (text === 'off' ? 0 : durationMs(text)));

export const duration = (fallback: string) => span.prefault(fallback);

export const wholeNumber = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, `a whole number from ${least} to ${most}`)
    .transform(Number)
    .refine((value) => value >= least && value <= most, `a whole number from ${least} to ${most}`);

export const timeZone = z
  .string()
  .refine((name) => zonePeriods(name) !== undefined, 'an IANA time zone such as Europe/Berlin');

/** Days; 0 for `off`. */
export const daysOrOff = z
  .string()
  .regex(/^(\d{1,5}|off)$/, 'a whole number of days from 1 to 36500, or off')
  .transform((value) => (value === 'off' ? 0 : Number(value)))
  .refine((days) => days <= 36_500, 'a whole number of days from 1 to 36500, or off')
  .optional();

/** Needs no quotes in SQL, and leaves room for a prefix. */
export const schemaName = z
  .string()
  .regex(
    /^(?!pg_|information_schema$|slotstream_queue)[a-z_][a-z0-9_]{0,39}$/,
    'a name of small letters, digits and _, at most 40, that does not begin with pg_ or slotstream_queue',
  );

export const yesOrNoOrUnset = z
  .enum(['true', 'false', '1', '0', 'yes', 'no'], 'true or false')
  .transform((value) => value === 'true' || value === '1' || value === 'yes')
  .optional();

export const yesOrNo = (fallback: boolean) => yesOrNoOrUnset.transform((value) => value ?? fallback);

/** An address with one of these schemes, checked but not changed. */
export const address = (...schemes: readonly string[]) =>
  z
    .string()
    .refine(
      (value) => schemes.some((scheme) => isAddress(value, scheme)),
      `an address such as ${schemes.join('… or ')}…`,
    );

function isAddress(value: string, scheme: string): boolean {
  if (!value.toLowerCase().startsWith(scheme)) return false;
  // `sqlite:` and `embedded:` have a path; `//` is followed by a host, or several for Sentinel and Cluster.
  return scheme.endsWith('//') ? /^[^\s]+$/.test(value.slice(scheme.length)) : value.length > scheme.length;
}

export const webAddress = address('https://', 'http://')
  .refine((value) => URL.canParse(value), 'a whole web address')
  .transform((value) => value.replace(/\/+$/, ''))
  .optional();

/** A setting that is the web address of the public service, unless it is set. */
export const addressWithDefault = (url: string) => ({ reads: webAddress.default(url), default: url });

export const commaList = z
  .string()
  .transform((value) => value.split(',').map((part) => part.trim()))
  .refine((parts) => parts.every((part) => part !== ''), 'a comma-separated list without empty entries');

/** The kinds of events; in a name, `*` stands for the rest of it. */
function kindsNamed(names: readonly string[], { addIssue }: z.core.$RefinementCtx): EventKind[] {
  if (names.join() === 'all') return [...allEventKinds];
  const kinds = names.flatMap((name) => {
    const named = allEventKinds.filter(
      (kind) => kind === name || (name.endsWith('.*') && kind.startsWith(name.slice(0, -1))),
    );
    if (named.length > 0) return named;
    const nearest = nearestName(allEventKinds, name);
    const suggested = nearest === undefined ? `Is it one of ${allEventKinds.join(', ')}?` : `Did you mean ${nearest}?`;
    addIssue(`kinds such as invitee.created or invitee.*. "${name.slice(0, 80)}" is no kind. ${suggested}`);
    return [];
  });
  return [...new Set(kinds)];
}

export const kinds = commaList.transform(kindsNamed).optional();

/** An address of a third party: used unchanged, without a user name. */
export const calledAddress = address('https://', 'http://')
  .refine((value) => URL.canParse(value), 'a whole web address')
  .refine((value) => !URL.parse(value)?.username, 'an address without a user name');
