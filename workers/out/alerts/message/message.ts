// Builds messages. A message is built from the mirror's rows when it is sent, so it shows the current data and nothing about a person who
// was erased. Its values are untrusted plain text: every channel escapes them.
import type { BookingFact } from '#workers/out/alerts/rules/fact.ts';
import type { BookingContext } from '#src/read/bookings/booking-context.ts';
import { hostsOf } from '#src/read/bookings/hosts.ts';
import { bookingText, type MessageFact } from './booking-text.ts';
import { askWhetherTheyCame, type AnswerLink, type Question } from './question.ts';
import { sanitizeLine, sanitizeLines } from './sanitize-text.ts';
import { overTitle, submissionText, type AboutSubmission } from './submission-text.ts';
import { summaryParts, type WeekSummary } from './summary-text.ts';
import { zonedSpan } from '#src/base/zoned-time.ts';

export interface Message {
  /** The idempotency key: the same at every attempt. */
  readonly id: string;
  readonly rule: string;
  /** The id of the message that a retraction retracts. */
  readonly follows: string | undefined;
  readonly kind: 'alert' | 'retraction' | 'digest' | 'test';
  /** `No-show: Ada Lovelace`. */
  readonly title: string;
  /** One sentence, the output of the rule's template, or one line per alert of a digest. */
  readonly text: string;
  /** Labels and values, in order. */
  readonly facts: readonly MessageFact[];
  readonly link: string | undefined;
  readonly occurredAt: string;
  /** The URIs it is about; one per alert of a digest. */
  readonly subjects: readonly string[];
  /** What it asks. */
  readonly questions?: readonly Question[];
  /** The hosts it is for, when its rule has `to_host`. */
  readonly hosts?: readonly MessageHost[] | undefined;
}

export interface MessageHost {
  readonly email: string;
  /** The user's id in Slack, by `slack_users` of the rules file. */
  readonly slackUser: string | undefined;
}

export interface MessageNeeds {
  /** Where people reach the admin listener (`config.alerts.adminUrl`); undefined for no link. */
  readonly adminUrl: string | undefined;
  /** Makes links with which a host answers; undefined where ANSWERS is off. */
  readonly answerLink?: AnswerLink | undefined;
  /** `REPORT_TIMEZONE`: of times that belong to no host. */
  readonly reportZone?: string;
}

/** What the text depends on in a rule. */
export interface RuleText {
  readonly name: string;
  readonly title: string;
  /** The titles of a rule that reports several kinds of facts. */
  readonly titles?: Partial<Readonly<Record<BookingFact['kind'], string>>> | undefined;
  readonly about: string;
  /** The page of the dashboard for its digests, and for problems. */
  readonly page?: string | undefined;
  readonly template?: string | undefined;
  readonly retractionTemplate?: string | undefined;
  readonly noShowWindowMs?: number | undefined;
  /** Facts, or `link`, that its messages do not show. */
  readonly omit?: readonly string[] | undefined;
  /** Its messages are for the hosts. */
  readonly hostsOf?: unknown;
}

export interface BookingSubject {
  readonly context: BookingContext;
  readonly fact: BookingFact;
}

/** A fact about a booking or a submission, or a problem that a condition found. A problem that is over has no text. */
export type MessageSubject =
  | BookingSubject
  | AboutSubmission
  | { readonly summary: WeekSummary }
  | { readonly subject: string; readonly name?: string | undefined; readonly problem: string | null };

export interface MessageInput {
  readonly id: string;
  readonly rule: RuleText;
  readonly kind: 'alert' | 'retraction';
  readonly about: MessageSubject;
  readonly occurredAt: string;
  readonly follows?: string | undefined;
  /** The host who reads a report, and since when its links are valid. */
  readonly reader?: { readonly host: string; readonly since: string };
}

export const maxTitleLength = 150;
const maxTextLength = 2_000;

export async function buildMessage(needs: MessageNeeds, input: MessageInput): Promise<Message> {
  const { adminUrl, reportZone = 'UTC' } = needs;
  const { id, rule, kind, about, occurredAt, follows } = input;
  const isOver = kind === 'retraction';
  const { title, text, facts, variables, subject, page } = partsOf(about, { rule, isOver, reportZone });
  const link = linkOf(rule, adminUrl, page);
  const plain = { title, text, rule: rule.name, kind, subject, occurred_at: occurredAt, link: link ?? '' };
  // Text about what happened is wrong for a retraction.
  const template = isOver ? rule.retractionTemplate : rule.template;
  const asked = ask(needs, input);
  return {
    id,
    rule: rule.name,
    follows,
    kind,
    title,
    text: template === undefined ? text : await fromTemplate(template, { ...variables, ...plain }),
    facts: [...facts, ...(asked?.facts ?? [])],
    ...(asked && { questions: [asked.question] }),
    link,
    occurredAt,
    subjects: [subject],
  };
}

function ask({ answerLink }: MessageNeeds, { rule, kind, about, occurredAt, reader }: MessageInput) {
  const isAsking = 'context' in about && (about.fact.kind === 'suspected_no_show' || about.fact.kind === 'unconfirmed');
  if (!isAsking || answerLink === undefined || kind === 'retraction' || rule.omit?.includes('link') === true)
    return undefined;
  const host = reader?.host ?? hostsOf(about.context)[0]?.uri;
  const since = reader?.since ?? occurredAt;
  return host === undefined ? undefined : askWhetherTheyCame(answerLink, about.context, { host, since });
}

interface PartsOptions {
  readonly rule: RuleText;
  readonly isOver: boolean;
  readonly reportZone: string;
}

function partsOf(about: MessageSubject, options: PartsOptions) {
  if ('context' in about) return bookingParts(about, options);
  if ('submission' in about) return submissionParts(about, options);
  if ('summary' in about) return summaryParts(about.summary, options.rule);
  return problemParts(about, options);
}

function bookingParts(about: BookingSubject, options: PartsOptions) {
  const { rule, isOver } = options;
  const { who, ...parts } = bookingText(about, options);
  const { uri: subject } = about.context.invitee;
  const what = rule.titles?.[about.fact.kind] ?? rule.title;
  const title = sanitizeLine(`${what}${isOver ? ' alert retracted' : ''}: ${who}`, maxTitleLength);
  return { ...parts, title, subject, page: pageOf(subject) };
}

function submissionParts(about: AboutSubmission, options: PartsOptions) {
  const { rule, isOver } = options;
  const { who, ...parts } = submissionText(about, options);
  const { uri: subject } = about.submission.row;
  const what = isOver ? overTitle(about) : rule.title;
  return { ...parts, title: sanitizeLine(`${what}: ${who}`, maxTitleLength), subject, page: pageOf(subject) };
}

function problemParts(
  { subject, name: given, problem }: Extract<MessageSubject, { readonly subject: string }>,
  { rule, isOver }: PartsOptions,
) {
  const name = sanitizeLine(given);
  const found = sanitizeLine(problem ?? rule.about, maxTextLength);
  const [of, opening] = name === '' ? ['', ''] : [` for ${name}`, `${name}: `];
  const about = name === '' && URL.canParse(subject) ? [{ label: 'About', value: sanitizeLine(subject, 300) }] : [];
  const title =
    name === ''
      ? `${isOver ? 'Over: ' : ''}${rule.title}`
      : sanitizeLine(`${rule.title}${isOver ? ' (over)' : ''}: ${name}`, maxTitleLength);
  return {
    title,
    text: isOver ? `This is over${of}: ${rule.about}` : `${opening}${found}`,
    facts: about,
    variables: { on: '' },
    subject,
    page: rule.page === '/no-shows' ? noShowsOf(subject) : rule.page,
  };
}

/** Falls back to the default text: a template that fails for some booking must not suppress the alert. */
async function fromTemplate(template: string, variables: Readonly<Record<string, unknown>>): Promise<string> {
  const { renderTemplate } = await import('./template.ts');
  const rendered = sanitizeLines(renderTemplate(template, variables) ?? '', maxTextLength);
  return rendered === '' ? String(variables['text']) : rendered;
}

/** The message of `slotstream alerts test`. */
export function testMessage(
  { adminUrl }: MessageNeeds,
  { id, now }: { readonly id: string; readonly now: string },
): Message {
  return {
    id,
    rule: 'test',
    follows: undefined,
    kind: 'test',
    title: 'Test: alerts of Slotstream arrive here',
    text: 'This is a test. There was no no-show.',
    facts: [
      { label: 'Who', value: 'Ada Example' },
      { label: 'Event', value: 'A test' },
      { label: 'When', value: zonedSpan(now, null, 'UTC') },
    ],
    link: linkTo(adminUrl),
    occurredAt: now,
    subjects: [],
  };
}

export const linkOf = (
  { omit }: RuleText,
  adminUrl: string | undefined,
  page: string | undefined,
): string | undefined => (omit?.includes('link') ? undefined : linkTo(adminUrl, page));

/** The page of a booking or a submission; the values of its row where the URI has another form. */
function pageOf(uri: string): string {
  const [, collection = '', uuid = ''] = /\/(invitees|routing_form_submissions)\/([^/?#]+)$/.exec(uri) ?? [];
  if (uuid === '') return `/why?uri=${encodeURIComponent(uri)}`;
  return `/${collection === 'invitees' ? 'bookings' : 'routing'}/${encodeURIComponent(uuid)}`;
}

/** Whether the link leads to one booking or submission. */
export const isOfRecord = (link: string): boolean => linkText(link) !== 'Open Slotstream';

/** What a channel shows for the link of a message. */
export function linkText(link: string): string {
  const [, page] = /\/(bookings|routing)\/[^/]+$/.exec(link) ?? [];
  return `Open ${page === 'bookings' ? 'the booking' : page === 'routing' ? 'the form' : 'Slotstream'}`;
}

/** The no-shows of a host or an event type. */
const noShowsOf = (uri: string): string =>
  `/no-shows?${uri.includes('/event_types/') ? 'event_type' : 'host'}=${encodeURIComponent(uri)}`;

/** Channels reject messages that are too long, and a link cannot be cut. */
const maxLinkLength = 1_000;

/** A page of the dashboard; the first one shows the state of the mirror. */
function linkTo(adminUrl: string | undefined, page = '/'): string | undefined {
  const link = `${adminUrl}${page}`;
  return adminUrl === undefined || link.length > maxLinkLength ? undefined : link;
}
