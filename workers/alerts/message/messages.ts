// What an alert says: made from the rows at the moment it is sent, so that it tells what is known now, and nothing of whom was erased.
import type { Trouble } from '#workers/alerts/conditions/condition.ts';
import { conditionKinds } from '#workers/alerts/conditions/conditions.ts';
import type { Message } from './message.ts';
import type { Case } from '#workers/alerts/rules/rule.ts';
import { ruleKinds } from '#workers/alerts/rules/rules.ts';
import { cutAt, spoken, spokenLines } from './sanitize-text.ts';
import { wordingOf, type RuleInWords } from './booking-text.ts';
import { zonedSpan } from './zoned-time.ts';

export interface MessageNeeds {
  /** Where people reach the dashboard (`config.alerts.dashboardUrl`); undefined: no link. */
  readonly dashboardUrl: string | undefined;
}

/** Of trouble that is over, nobody knows the words any more. */
export type About = Case | { readonly subject: string; readonly message?: Trouble['message'] };

export interface MessageInput {
  /** The alert's: the same at every attempt. */
  readonly id: string;
  readonly rule: RuleInWords;
  readonly kind: 'alert' | 'retraction';
  readonly about: About;
  readonly fact: string;
  readonly occurredAt: string;
  /** The alert that a retraction takes back. */
  readonly follows?: string | null | undefined;
}

const longestTitle = 150;
const longestText = 2_000;

export async function messageOf({ dashboardUrl }: MessageNeeds, input: MessageInput): Promise<Message> {
  const { id, rule, kind, about, fact, occurredAt, follows } = input;
  const isOver = kind === 'retraction';
  const { who, text, facts, variables, subject } =
    'invitee' in about ? ofBooking(about, { rule, fact, isOver }) : ofTrouble(about, rule, isOver);
  const opening = kindOf(rule.when)?.title ?? rule.name;
  const title = spoken(
    `${isOver ? (who === '' ? 'Over: ' : 'Taken back: ') : ''}${opening}${who === '' ? '' : `: ${who}`}`,
    longestTitle,
  );
  const link = linkTo(dashboardUrl);
  const plain = { title, text, rule: rule.name, kind, subject, occurred_at: occurredAt, link: link ?? '' };
  return {
    id,
    rule: rule.name,
    follows: follows ?? undefined,
    kind,
    title,
    text: rule.template === undefined ? text : await inTemplate(rule.template, { ...variables, ...plain }),
    facts,
    link,
    occurredAt,
    subjects: [subject],
  };
}

function ofBooking(known: Case, occasion: Parameters<typeof wordingOf>[1]) {
  return { ...wordingOf(known, occasion), subject: known.invitee.uri ?? '' };
}

function ofTrouble({ subject, message }: Exclude<About, Case>, { when }: RuleInWords, isOver: boolean) {
  const about = kindOf(when)?.about ?? '';
  const text = isOver ? `This is over: ${about}` : spoken(message ?? about, longestText);
  const facts = subject === 'mirror' ? [] : [{ label: 'About', value: spoken(subject, 300) }];
  return { who: '', text, facts, variables: {}, subject };
}

const kindOf = (when: string) => [...ruleKinds, ...conditionKinds].find((kind) => kind.when === when);

/** A template that fails on some booking must not silence its alert. */
async function inTemplate(template: string, variables: Readonly<Record<string, unknown>>): Promise<string> {
  const { renderTemplate } = await import('./template.ts');
  const rendered = spokenLines((await renderTemplate(template, variables)) ?? '', longestText);
  return rendered === '' ? String(variables['text']) : rendered;
}

const mostLines = 20;
const longestLine = 130;

export interface DigestInput {
  readonly id: string;
  readonly rule: RuleInWords;
  /** At least one, in the order in which they are to be read. */
  readonly messages: readonly Message[];
}

/** Many alerts of one rule in one message: a line for each, as many as can be read. */
export function digestOf({ dashboardUrl }: MessageNeeds, { id, rule, messages }: DigestInput): Message {
  const opening = kindOf(rule.when)?.title ?? rule.name;
  const lines = messages.slice(0, mostLines).map(({ text }) => `• ${spoken(text, longestLine)}`);
  const left = messages.length - lines.length;
  return {
    id,
    rule: rule.name,
    follows: undefined,
    kind: 'digest',
    title: cutAt(`${opening}: ${messages.length} ${messages.length === 1 ? 'alert' : 'alerts'}`, longestTitle),
    text: [...lines, ...(left > 0 ? [`… and ${left} more.`] : [])].join('\n'),
    facts: [],
    link: linkTo(dashboardUrl),
    occurredAt: messages.map(({ occurredAt }) => occurredAt).reduce((a, b) => (a > b ? a : b), ''),
    subjects: messages.flatMap(({ subjects }) => subjects),
  };
}

/** What `slotstream alerts test` sends. */
export function testMessage(
  { dashboardUrl }: MessageNeeds,
  { id, now }: { readonly id: string; readonly now: string },
): Message {
  return {
    id,
    rule: 'test',
    follows: undefined,
    kind: 'test',
    title: 'Test: alerts of Slotstream arrive here',
    text: 'This is a test. Nobody missed anything.',
    facts: [
      { label: 'Who', value: 'Ada Example' },
      { label: 'Event', value: 'A test' },
      { label: 'When', value: zonedSpan(now, null, 'UTC') },
    ],
    link: linkTo(dashboardUrl),
    occurredAt: now,
    subjects: [],
  };
}

const linkTo = (dashboardUrl: string | undefined): string | undefined => dashboardUrl && `${dashboardUrl}/`;
