// Builds messages. A message is built from the mirror's rows when it is sent, so it shows the current data and nothing about a person who
// was erased. Its values are untrusted plain text: every channel escapes them.
import type { BookingFact } from '#workers/alerts/rules/fact.ts';
import type { BookingContext } from '#workers/alerts/rules/rule.ts';
import { bookingText } from './booking-text.ts';
import { sanitizeLine, sanitizeLines, truncate } from './sanitize-text.ts';
import { zonedSpan } from './zoned-time.ts';

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
  /** The hosts it is for, when its rule has `to_host`. */
  readonly hosts?: readonly MessageHost[] | undefined;
}

export interface MessageHost {
  readonly email: string;
  /** The user's id in Slack, by `slack_users` of the rules file. */
  readonly slackUser: string | undefined;
}

export interface MessageFact {
  readonly label: string;
  readonly value: string;
}

export interface MessageNeeds {
  /** Where operators reach the admin listener (`config.alerts.adminUrl`); undefined for no link. */
  readonly adminUrl: string | undefined;
}

/** What the text depends on in a rule. */
export interface RuleText {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  readonly template?: string | undefined;
  readonly noShowWindowMs?: number | undefined;
}

/** A fact about a booking, or a problem that a condition found. A problem that is over has no text. */
export type MessageSubject =
  | { readonly context: BookingContext; readonly fact: BookingFact }
  | { readonly subject: string; readonly problem: string | null };

export interface MessageInput {
  readonly id: string;
  readonly rule: RuleText;
  readonly kind: 'alert' | 'retraction';
  readonly about: MessageSubject;
  readonly occurredAt: string;
  readonly follows?: string | undefined;
}

const maxTitleLength = 150;
const maxTextLength = 2_000;

export async function buildMessage({ adminUrl }: MessageNeeds, input: MessageInput): Promise<Message> {
  const { id, rule, kind, about, occurredAt, follows } = input;
  const isOver = kind === 'retraction';
  const { who, text, facts, variables, subject } =
    'context' in about
      ? { ...bookingText(about, { rule, isOver }), subject: about.context.invitee.uri }
      : problemText(about, { rule, isOver });
  const prefix = isOver ? (who === '' ? 'Over: ' : 'Retracted: ') : '';
  const title = sanitizeLine(`${prefix}${rule.title}${who === '' ? '' : `: ${who}`}`, maxTitleLength);
  const link = linkTo(adminUrl);
  const plain = { title, text, rule: rule.name, kind, subject, occurred_at: occurredAt, link: link ?? '' };
  return {
    id,
    rule: rule.name,
    follows,
    kind,
    title,
    text: rule.template === undefined ? text : await fromTemplate(rule.template, { ...variables, ...plain }),
    facts,
    link,
    occurredAt,
    subjects: [subject],
  };
}

function problemText(
  { subject, problem }: Extract<MessageSubject, { readonly subject: string }>,
  { rule: { about }, isOver }: { readonly rule: RuleText; readonly isOver: boolean },
) {
  const text = isOver ? `This is over: ${about}` : sanitizeLine(problem ?? about, maxTextLength);
  const facts = subject === 'mirror' ? [] : [{ label: 'About', value: sanitizeLine(subject, 300) }];
  return { who: '', text, facts, variables: {}, subject };
}

/** Falls back to the default text: a template that fails for some booking must not suppress the alert. */
async function fromTemplate(template: string, variables: Readonly<Record<string, unknown>>): Promise<string> {
  const { renderTemplate } = await import('./template.ts');
  const rendered = sanitizeLines(renderTemplate(template, variables) ?? '', maxTextLength);
  return rendered === '' ? String(variables['text']) : rendered;
}

const maxDigestLines = 20;
const maxDigestLineLength = 130;

export interface DigestInput {
  readonly id: string;
  readonly rule: RuleText;
  /** At least one, in the order in which they are shown. */
  readonly messages: readonly Message[];
}

/** Many alerts of one rule in one message: one line per alert, up to a readable number. */
export function buildDigest({ adminUrl }: MessageNeeds, { id, rule, messages }: DigestInput): Message {
  const lines = messages.slice(0, maxDigestLines).map(({ text }) => `• ${sanitizeLine(text, maxDigestLineLength)}`);
  const left = messages.length - lines.length;
  return {
    id,
    rule: rule.name,
    follows: undefined,
    kind: 'digest',
    title: truncate(`${rule.title}: ${messages.length} ${messages.length === 1 ? 'alert' : 'alerts'}`, maxTitleLength),
    text: [...lines, ...(left > 0 ? [`… and ${left} more.`] : [])].join('\n'),
    facts: [],
    link: linkTo(adminUrl),
    occurredAt: messages.map(({ occurredAt }) => occurredAt).reduce((a, b) => (a > b ? a : b), ''),
    subjects: messages.flatMap(({ subjects }) => subjects),
  };
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

const linkTo = (adminUrl: string | undefined): string | undefined => adminUrl && `${adminUrl}/`;
