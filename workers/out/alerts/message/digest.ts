// Messages about many bookings: a digest of the alerts of a rule, and a report to a host.
import { hostsOf } from '#src/read/bookings/hosts.ts';
import {
  buildMessage,
  isOfRecord,
  linkOf,
  maxTitleLength,
  type BookingSubject,
  type Message,
  type MessageInput,
  type MessageNeeds,
  type RuleText,
} from './message.ts';
import { sanitizeLine, truncate } from './sanitize-text.ts';
import { zonedSpan } from '#src/base/zoned-time.ts';

// Slack takes 3,000 characters.
const maxDigestLines = 12;
const maxDigestLineLength = 130;
/** A link is shown whole or not at all. */
const maxLineLinkLength = 100;

export interface DigestInput {
  readonly id: string;
  readonly rule: RuleText;
  /** At least one. */
  readonly messages: readonly Message[];
}

/** Many alerts of one rule in one message: one line per alert, up to a readable number. */
export function buildDigest(
  { adminUrl, reportZone = 'UTC' }: MessageNeeds,
  { id, rule, messages }: DigestInput,
): Message {
  const sorted = messages.toSorted((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
  const lines = sorted.slice(0, maxDigestLines).map((one) => `• ${digestLine(one, rule)}`);
  const left = messages.length - lines.length;
  return {
    id,
    rule: rule.name,
    follows: undefined,
    kind: 'digest',
    title: truncate(`${rule.title}: ${messages.length} ${digestTime(sorted, reportZone)}`, maxTitleLength),
    text: [...lines, ...(left > 0 ? [`… and ${left} more.`] : [])].join('\n'),
    facts: sorted.slice(0, maxDigestLines).flatMap(({ facts }) => facts.filter(({ isAnswer }) => isAnswer)),
    questions: sorted.slice(0, maxDigestLines).flatMap(({ questions = [] }) => questions),
    link: linkOf(rule, adminUrl, rule.page),
    occurredAt: messages.map(({ occurredAt }) => occurredAt).reduce((a, b) => (a > b ? a : b), ''),
    subjects: messages.flatMap(({ subjects }) => subjects),
  };
}

/** The bookings of a host that are reported in the evening. */
export interface ReportSubject {
  readonly host: string;
  readonly name: string | undefined;
  readonly bookings: readonly BookingSubject[];
}

interface ReportInput extends Pick<MessageInput, 'id' | 'rule' | 'occurredAt'> {
  readonly about: ReportSubject;
}

/** The bookings of one host, one line each. */
export async function buildReport(needs: MessageNeeds, { about, ...input }: ReportInput): Promise<Message> {
  const { id, rule, occurredAt } = input;
  const messages = await Promise.all(
    about.bookings.map(({ context, fact }) => {
      // The reader is this host, who may not be the first one of the meeting.
      const hostTimezone = context.zoneOf?.(about.host) ?? null;
      const own = { context: { ...context, hostTimezone, zoneOf: () => hostTimezone }, fact };
      return buildMessage(needs, {
        ...input,
        kind: 'alert',
        about: own,
        occurredAt: context.event?.start_time ?? '',
        reader: { host: about.host, since: occurredAt },
      });
    }),
  );
  const { text, ...digest } = buildDigest(needs, { id, rule, messages });
  // The meeting names hosts who are not mirrored as users.
  const named = about.bookings.flatMap(({ context }) => hostsOf(context)).find(({ uri }) => uri === about.host)?.name;
  const title = `${rule.title}: ${sanitizeLine(about.name ?? named) || 'a host'}, ${messages.length}`;
  const link = linkOf(rule, needs.adminUrl, `${rule.page}&host=${encodeURIComponent(about.host)}`);
  return { ...digest, title: truncate(title, maxTitleLength), text: `${rule.about}\n${text}`, link, occurredAt };
}

const orderOf = ({ occurredAt, text }: Message): string => `${occurredAt} ${text}`;

const lineFacts: ReadonlySet<string> = new Set(['E-mail', 'About', 'When', 'Host', 'Hosts']);

/** The sentence, when it was, with whom, whom to write to, and the link. A template decides by itself what a line says. */
function digestLine({ kind, text, facts, link = '' }: Message, { template }: RuleText): string {
  const isPlain = kind === 'alert' && template === undefined;
  const known = facts.filter(({ label, value }) => lineFacts.has(label) && !text.includes(value));
  const about = isPlain ? known.map(({ value }) => value) : [];
  const line = sanitizeLine([text, about.join(', ')].join(' '), maxDigestLineLength);
  return isPlain && isOfRecord(link) && link.length <= maxLineLinkLength ? `${line} ${link}` : line;
}

function digestTime(sorted: readonly Message[], reportZone: string): string {
  if (sorted.every(({ kind }) => kind === 'retraction')) return 'retracted';
  return `since ${zonedSpan(sorted[0]?.occurredAt ?? '', null, reportZone)}`;
}
