// What there is to say about a booking: a sentence, its facts in order, and the same as variables for templates. Pure.
import { hostsOf } from '#workers/alerts/rules/filter.ts';
import { ownMark, type Case } from '#workers/alerts/rules/rule.ts';
import { spoken } from './sanitize-text.ts';
import { lengthOf, zonedSpan } from './zoned-time.ts';

/** Of a rule what its words depend on. */
export interface RuleInWords {
  readonly name: string;
  readonly when: string;
  readonly template?: string | undefined;
  /** Of `repeat_no_show`: how far back marks count. */
  readonly within?: unknown;
}

export interface Wording {
  readonly who: string;
  readonly text: string;
  readonly facts: readonly { readonly label: string; readonly value: string }[];
  readonly variables: Readonly<Record<string, unknown>>;
}

interface Occasion {
  readonly rule: RuleInWords;
  readonly fact: string;
  readonly isOver: boolean;
}

export function wordingOf(known: Case, { rule, fact, isOver }: Occasion): Wording {
  const { invitee, event, eventTypeName } = known;
  const timezone = spoken(known.hostTimezone) || null;
  const who = nameOf(known);
  const what = spoken(event?.name) || spoken(eventTypeName) || 'a booking';
  const hosts = hostsOf(known)
    .slice(0, 5)
    .map(({ name, email }) => spoken(name) || spoken(email))
    .filter((name) => name !== '');
  const when = event?.start_time ? zonedSpan(event.start_time, event.end_time, timezone) : 'unknown';
  const times = timesOf(known, rule);
  const isCancellation = fact.startsWith('canceled ');
  const notice = isCancellation && !isOver ? noticeOf(known) : undefined;
  const reason = isCancellation && !isOver ? spoken(invitee.cancel_reason, 300) : '';
  const text = isOver
    ? overText(known, { fact, who, what, rule: rule.name })
    : nowText(known, { fact, who, what, times, notice });
  const facts = [
    { label: 'Who', value: who },
    { label: 'Event', value: what },
    { label: 'When', value: when },
    { label: hosts.length > 1 ? 'Hosts' : 'Host', value: hosts.join(', ') },
    { label: 'Notice', value: notice ?? '' },
    { label: 'Reason', value: reason },
    { label: 'No-shows', value: rule.when === 'repeat_no_show' && !isOver ? String(times) : '' },
  ].filter(({ value }) => value !== '');
  const variables = {
    name: who,
    first_name: spoken(invitee.first_name),
    last_name: spoken(invitee.last_name),
    email: spoken(invitee.email),
    event: what,
    event_type: spoken(eventTypeName),
    host: hosts.join(', '),
    when,
    timezone: timezone ?? 'UTC',
    start_time: event?.start_time ?? null,
    end_time: event?.end_time ?? null,
    times,
    notice: notice ?? '',
    reason,
    utm: Object.fromEntries(utm.map((tag) => [tag, spoken(invitee[`utm_${tag}`])])),
    contact: contactOf(known),
  };
  return { who, text, facts, variables };
}

const utm = ['source', 'medium', 'campaign', 'content', 'term'] as const;

function nameOf({ invitee: { name, first_name: first, last_name: last } }: Case): string {
  return spoken(name) || spoken(`${spoken(first)} ${spoken(last)}`) || 'Somebody';
}

interface Words {
  readonly fact: string;
  readonly who: string;
  readonly what: string;
}

function nowText(
  { invitee }: Case,
  { fact, who, what, times, notice }: Words & { times: number; notice: string | undefined },
): string {
  if (fact.startsWith('booked ')) return `${who} booked ${what}.`;
  if (!fact.startsWith('canceled '))
    return `${who} did not show up for ${what}${times > 1 ? ` (${times} times by now)` : ''}.`;
  const before = notice === undefined ? '' : `, ${notice} before it begins`;
  return invitee.canceler_type === 'host'
    ? `${what} with ${who} was canceled by the host${before}.`
    : `${who} canceled ${what}${before}.`;
}

/** Level, not edge: what is so now tells why it is over. */
function overText(known: Case, { fact, who, what, rule }: Words & { rule: string }): string {
  const { rescheduled, new_invitee: next, status, canceled_at: canceledAt } = known.invitee;
  const isMoved = rescheduled === true || next !== null;
  const isCanceled = status === 'canceled';
  const now = isMoved ? 'The booking was rescheduled.' : isCanceled ? 'The booking was canceled.' : '';
  // Often it is only the rule that looks away: a field of the contact changed, or another mark is gone. What stands is not denied.
  const standing = (words: string, isThis: boolean, of: string): string =>
    `${isThis ? `No longer so for the rule “${rule}”` : `Taken back: another ${of} stands in its place`}. ${words}`;
  if (fact.startsWith('booked '))
    return now === ''
      ? standing(`${who} still has the booking of ${what}.`, true, 'booking')
      : `No longer so: ${who} booked ${what}. ${now}`;
  if (fact.startsWith('canceled '))
    return isCanceled && !isMoved
      ? standing(`${what} with ${who} is still canceled.`, fact === `canceled ${canceledAt}`, 'cancellation')
      : `No longer so: ${what} with ${who} was canceled. ${now}`.trim();
  const mark = ownMark(known);
  if (mark !== undefined)
    return standing(`${who} is still marked as a no-show for ${what}.`, mark.noShowUri === fact, 'mark');
  return now === ''
    ? `Taken back: ${who} is no longer marked as a no-show for ${what}.`
    : `No longer so: ${who} did not show up for ${what}. ${now}`;
}

/** How long before the start. */
function noticeOf({ invitee: { canceled_at: at }, event }: Case): string | undefined {
  const noticeMs = Date.parse(event?.start_time ?? '') - Date.parse(at ?? '');
  return noticeMs >= 0 ? lengthOf(noticeMs) : undefined;
}

/** As the rule counts: up to this mark. */
function timesOf(known: Case, { within }: RuleInWords): number {
  const mark = ownMark(known);
  if (mark === undefined) return 0;
  const since = typeof within === 'number' ? Date.parse(mark.markedAt) - within : Number.NEGATIVE_INFINITY;
  return known.marks.filter(({ markedAt }) => markedAt <= mark.markedAt && Date.parse(markedAt) > since).length;
}

/** Columns and custom fields that are plain values, by their own names. */
function contactOf({ contact }: Case): Readonly<Record<string, unknown>> {
  const pairs: [string, unknown][] = contact === undefined ? [] : [...contact.fields, ...Object.entries(contact.row)];
  return Object.fromEntries(
    pairs
      .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
      .map(([name, value]) => [name, typeof value === 'string' ? spoken(value) : value]),
  );
}
