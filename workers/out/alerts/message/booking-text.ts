// The text about a booking: one sentence, its facts in order, and the same values as variables for templates. Pure.
import { memoize } from '#src/base/memoize.ts';
import type { BookingFact } from '#workers/out/alerts/rules/fact.ts';
import { hostsOf } from '#src/read/bookings/hosts.ts';
import { isCanceled, ownMark } from '#workers/out/alerts/rules/rule.ts';
import { noShowsUpTo, type BookingContext } from '#src/read/bookings/booking-context.ts';
import { sanitizeLine } from './sanitize-text.ts';
import { durationText, zonedSpan } from '#src/base/zoned-time.ts';

/** The facts of a message; a rule can omit each of them, and the link. */
export const factNames = [
  'who',
  'email',
  'company',
  'event',
  'when',
  'invitee_time',
  'host',
  'notice',
  'reason',
  'no_shows',
  'reschedule',
] as const;
export type FactName = (typeof factNames)[number];

export interface BookingText {
  readonly who: string;
  readonly text: string;
  readonly facts: readonly MessageFact[];
  readonly variables: Readonly<Record<string, unknown>>;
}

export interface MessageFact {
  readonly label: string;
  readonly value: string;
  /** The value is a URL of the service: a channel may show it as a link. */
  readonly isLink?: true;
  /** The link answers whether the invitee came; the label names the invitee. */
  readonly isAnswer?: true;
}

export interface TextOptions {
  readonly rule: {
    readonly name: string;
    readonly noShowWindowMs?: number | undefined;
    readonly omit?: readonly string[] | undefined;
    /** Its messages are for the hosts. */
    readonly hostsOf?: unknown;
  };
  /** True for a retraction. */
  readonly isOver: boolean;
  /** Of hosts whose profile has no time zone. */
  readonly reportZone?: string;
}

export function bookingText(
  { context, fact }: { readonly context: BookingContext; readonly fact: BookingFact },
  { rule, isOver, reportZone = '' }: TextOptions,
): BookingText {
  const { invitee, event, eventTypeName } = context;
  const timezone = sanitizeLine(context.hostTimezone) || reportZone || null;
  const who = nameOf(context);
  const what = sanitizeLine(event?.name) || sanitizeLine(eventTypeName) || 'a booking';
  const hosts = hostsOf(context)
    .slice(0, 5)
    .map(({ name, email }) => sanitizeLine(name) || sanitizeLine(email))
    .filter((name) => name !== '');
  const timeIn = (zone: string | null): string =>
    event?.start_time ? zonedSpan(event.start_time, event.end_time, zone) : 'unknown';
  const when = timeIn(timezone);
  const readers = rule.hostsOf === undefined ? [] : hostsOf(context).slice(0, 5);
  const zones = readers.map(({ uri = '' }) => sanitizeLine(context.zoneOf?.(uri)) || timezone);
  const theirs = timeIn(invitee.timezone);
  // An unknown zone would be shown as UTC.
  const inviteeTime = theirs.endsWith(`(${invitee.timezone})`) ? theirs : when;
  const company = sanitizeLine(context.contact?.row.company);
  const mark = ownMark(context);
  const times = mark === undefined ? 0 : noShowsUpTo(mark, context, rule.noShowWindowMs);
  const within = rule.noShowWindowMs === undefined ? '' : ` within ${durationText(rule.noShowWindowMs)}`;
  const again = times > 1 ? ` (their ${ordinal(times)} no-show${within})` : '';
  const isMissed = fact.kind === 'no_show' || fact.kind === 'suspected_no_show';
  const isCancellation = fact.kind === 'canceled' && !isOver;
  const notice = isCancellation ? noticeOf(context) : '';
  const reason = isCancellation ? sanitizeLine(invitee.cancel_reason, 300) : '';
  const email = sanitizeLine(invitee.email);
  const reschedule = webAddressOf(invitee.reschedule_url);
  const subject = { context, fact, who, what, when };
  const facts: Readonly<Record<FactName, MessageFact>> = {
    who: { label: 'Who', value: who },
    email: { label: 'E-mail', value: email },
    company: { label: 'Company', value: company },
    event: { label: 'Event', value: what },
    when: { label: 'When', value: [...new Set([when, ...zones.map(timeIn)])].join('; ') },
    invitee_time: { label: "Invitee's local time", value: inviteeTime === when ? '' : inviteeTime },
    host: { label: hosts.length > 1 ? 'Hosts' : 'Host', value: hosts.join(', ') },
    notice: { label: 'Notice', value: notice },
    reason: { label: 'Reason', value: reason },
    no_shows: { label: 'No-shows', value: rule.noShowWindowMs !== undefined && !isOver ? String(times) : '' },
    // After a cancellation the link of the service leads nowhere.
    reschedule: { label: 'Reschedule', value: isMissed && !isOver ? reschedule : '', isLink: true },
  };
  const variables = {
    on: fact.kind,
    name: who,
    first_name: sanitizeLine(invitee.first_name),
    last_name: sanitizeLine(invitee.last_name),
    email,
    company,
    event: what,
    event_type: sanitizeLine(eventTypeName),
    host: hosts.join(', '),
    when,
    timezone: timezone ?? 'UTC',
    invitee_time: inviteeTime,
    start_time: event?.start_time ?? null,
    end_time: event?.end_time ?? null,
    times,
    notice,
    reason,
    reschedule_url: reschedule,
    utm: Object.fromEntries(utmParameters.map((name) => [name, sanitizeLine(invitee[`utm_${name}`])])),
    contact: contactVariables(context),
  };
  return {
    who,
    text: isOver ? overText(subject, rule.name) : alertText(subject, { again, notice }),
    facts: factNames
      .filter((name) => facts[name].value !== '' && !rule.omit?.includes(name))
      .map((name) => facts[name]),
    variables,
  };
}

const maxUrlLength = 1_000;

/** A URL that is cut or changed leads elsewhere: it is shown whole or not at all. */
function webAddressOf(url: string | null): string {
  const isWhole = url !== null && sanitizeLine(url, maxUrlLength) === url && !url.endsWith('…');
  return isWhole && /^https?:\/\/[^\s<>|"']+$/.test(url) ? url : '';
}

const utmParameters = ['source', 'medium', 'campaign', 'content', 'term'] as const;

export function nameOf({ invitee: { name, first_name: first, last_name: last } }: BookingContext): string {
  return sanitizeLine(name) || sanitizeLine(`${sanitizeLine(first)} ${sanitizeLine(last)}`) || 'An invitee';
}

interface TextSubject {
  readonly when: string;
  readonly context: BookingContext;
  readonly fact: BookingFact;
  readonly who: string;
  readonly what: string;
}

function alertText(
  { context: { booking }, fact, who, what, when }: TextSubject,
  { again, notice }: { readonly again: string; readonly notice: string },
): string {
  const before = notice === '' ? '' : `, ${notice} before it begins`;
  switch (fact.kind) {
    case 'booked':
      return `${who} booked ${what}.`;
    case 'canceled':
      return booking?.canceler_type === 'host'
        ? `${what} with ${who} was canceled by the host${before}.`
        : `${who} canceled ${what}${before}.`;
    case 'no_show':
      return `${who} did not show up for ${what}${again}.`;
    case 'suspected_no_show':
      return `${who} may not have shown up for ${what}: its recap shows only hosts.`;
    case 'unconfirmed':
      return `${what} with ${who}, ${when}.`;
  }
}

/** Says why a fact is no longer reported, from what is true now. */
function overText({ context, fact, who, what }: TextSubject, rule: string): string {
  const { invitee, booking } = context;
  const isOver = isCanceled(booking);
  const isRescheduled = booking?.outcome === 'moved' || (booking === undefined && invitee.event_uri !== null);
  const change = isRescheduled ? 'rescheduled' : isOver ? 'canceled' : '';
  const changed = change === '' ? '' : `${who}'s booking of ${what} was ${change}`;
  // Often only the rule no longer matches: a field of the contact changed, or an earlier mark was removed. What is still true is not denied.
  const stillTrue = (text: string, isSameFact: boolean, noun: string): string =>
    isSameFact ? `${text}, but the rule “${rule}” no longer matches.` : `Replaced by another ${noun}. ${text}.`;
  switch (fact.kind) {
    case 'booked':
      // Only rules about VIPs report it.
      return changed === ''
        ? `${who} is no VIP by the rule “${rule}” any more. The booking of ${what} stands.`
        : `${changed}.`;
    case 'canceled':
      return isOver
        ? stillTrue(`${what} with ${who} is still canceled`, fact.at === booking?.canceled_at, 'cancellation')
        : `${changed || `${what} with ${who} takes place`}, so it is not canceled.`;
    case 'no_show': {
      const mark = ownMark(context);
      if (mark !== undefined)
        return stillTrue(`${who} is still marked as a no-show for ${what}`, mark.noShowUri === fact.noShowUri, 'mark');
      return changed === ''
        ? `${who} is no longer marked as a no-show for ${what}.`
        : `${changed}, so it is no longer a no-show.`;
    }
    case 'suspected_no_show': {
      const { attendance, recapAt } = booking ?? {};
      if (attendance === 'suspected_no_show')
        return stillTrue(`The recap of ${what} with ${who} still shows only hosts`, true, 'recap');
      if (attendance === 'no_show') return `${who} is marked as a no-show for ${what}: it is suspected no more.`;
      const named = recapAt === null ? 'It was answered that they came' : 'A recap names them';
      const why = attendance === 'unconfirmed' ? 'No recap shows only hosts any more' : named;
      return `${changed || why}: ${who} is no longer suspected to have missed ${what}.`;
    }
    case 'unconfirmed':
      return `No longer unconfirmed: ${what} with ${who}.`;
  }
}

const ordinals = memoize(() => new Intl.PluralRules('en', { type: 'ordinal' }));
const endings: Readonly<Record<string, string>> = { one: 'st', two: 'nd', few: 'rd' };
const ordinal = (count: number): string => `${count}${endings[ordinals().select(count)] ?? 'th'}`;

/** How long before the start it was canceled; empty when it began before. */
function noticeOf({ booking }: BookingContext): string {
  const seconds = booking?.cancel_notice_seconds ?? -1;
  return seconds >= 0 ? durationText(seconds * 1_000) : '';
}

/** Columns and custom fields with plain values, by their own names. */
function contactVariables({ contact }: BookingContext): Readonly<Record<string, unknown>> {
  const pairs: [string, unknown][] = contact === undefined ? [] : [...contact.fields, ...Object.entries(contact.row)];
  return Object.fromEntries(
    pairs
      .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
      .map(([name, value]) => [name, typeof value === 'string' ? sanitizeLine(value) : value]),
  );
}
