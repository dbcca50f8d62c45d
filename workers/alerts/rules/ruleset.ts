// The rules of this installation: those of the file, or the usual ones, with their channels and everything else decided.
import { readFile } from 'node:fs/promises';
import type { z } from 'zod';
import { SlotstreamError } from '#src/base/errors.ts';
import type { ChannelName } from '#workers/alerts/channels/channel-name.ts';
import type { ConditionKind, Reading } from '#workers/alerts/conditions/condition.ts';
import { conditionKinds } from '#workers/alerts/conditions/conditions.ts';
import { passes, type Filter } from './filter.ts';
import type { QuietHours } from '#workers/alerts/outbox/quiet-hours.ts';
import type { Case, Finding, Moment, RuleKind } from './rule.ts';
import { rulesFile } from './rules-file.ts';
import { ruleKinds } from './rules.ts';

interface AnyRule {
  readonly name: string;
  /** Its kind. */
  readonly when: string;
  readonly channels: readonly ChannelName[];
  readonly quiet: QuietHours | undefined;
  readonly digestMs: number | undefined;
  readonly template: string | undefined;
  /** Of `repeat_no_show`: how far back marks count. */
  readonly within: unknown;
}

export interface BookingRule extends AnyRule {
  readonly graceMs: number;
  /** Whether it matters to it what is known of the contact, of the person's other marks, and of the meeting. */
  readonly asksContact: boolean;
  readonly asksMarks: boolean;
  readonly asksEvent: boolean;
  readonly moments: readonly Moment[];
  /** All that is so of a booking that it is about. */
  find(known: Case): readonly Finding[];
}

export interface ConditionRule extends AnyRule {
  find(reading: Reading): ReturnType<ConditionKind['find']>;
}

export interface Ruleset {
  readonly bookings: readonly BookingRule[];
  readonly conditions: readonly ConditionRule[];
}

export interface RulesetInput {
  /** `ALERTS_FILE`; undefined: the usual rules. */
  readonly file: string | undefined;
  /** `ALERT_GRACE`. */
  readonly graceMs: number;
  /** The channels that lead somewhere; besides them there is always the log. */
  readonly configured: readonly ChannelName[];
}

/** An error with every complaint at once, each with its place in the file. */
export async function loadRules({ file, graceMs, configured }: RulesetInput): Promise<Ruleset> {
  const given = file === undefined ? usualRules : await readRules(file);
  const read = rulesFile.safeParse(given, { error: ({ input }) => (input === undefined ? 'required' : undefined) });
  const complaints = [
    ...(read.error?.issues ?? []).flatMap((issue) => complaintsOf(issue)),
    ...(await togetherness(given, configured)),
  ];
  if (complaints.length > 0 || !read.success) throw refused(complaints);
  const usual = configured.filter((name) => name !== 'log');
  const channelsOf = (named: readonly ChannelName[] | undefined): readonly ChannelName[] =>
    named === undefined ? (usual.length > 0 ? usual : ['log']) : [...new Set(named)];
  const rules = read.data.rules.map((rule) => rule as unknown as ReadRule);
  const shared = (rule: ReadRule): AnyRule => ({
    name: rule.name,
    when: rule.when,
    channels: channelsOf(rule.channels),
    quiet: rule.quiet_hours,
    digestMs: rule.digest,
    template: rule.template,
    within: rule['within'],
  });
  return {
    bookings: rules.flatMap((rule) => {
      const kind = bookingKinds.find(({ when }) => when === rule.when);
      if (kind === undefined) return [];
      return {
        ...shared(rule),
        graceMs: rule.grace ?? graceMs,
        asksContact: kind.looksAt === 'contact' || rule.filter?.contact !== undefined,
        asksMarks: kind.looksAt === 'marks',
        asksEvent: kind.looksAt === 'event' || [rule.filter?.event_type, rule.filter?.host].some(Boolean),
        moments: kind.moments(rule),
        find: (known: Case) => (passes(rule.filter ?? {}, known) ? kind.find(rule, known) : []),
      };
    }),
    conditions: rules.flatMap((rule) => {
      const kind = mirrorKinds.find(({ when }) => when === rule.when);
      if (kind === undefined) return [];
      return { ...shared(rule), find: (reading: Reading) => kind.find(rule, reading) };
    }),
  };
}

const bookingKinds: readonly RuleKind[] = ruleKinds;
const mirrorKinds: readonly ConditionKind[] = conditionKinds;

/** What every rule of the file has; its options stand beside. */
interface ReadRule extends Readonly<Record<string, unknown>> {
  readonly name: string;
  readonly when: string;
  readonly channels?: readonly ChannelName[];
  readonly quiet_hours?: QuietHours;
  readonly digest?: number;
  readonly template?: string;
  readonly filter?: Filter;
  readonly grace?: number;
}

const usualKinds = ['no_show', 'subscription', 'quarantine', 'lag', 'drift', 'clock_skew', 'spool'];
const usualRules = { rules: usualKinds.map((when) => ({ name: when, when })) };

async function readRules(file: string): Promise<unknown> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch {
    throw refused(['The file cannot be read.']);
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw refused([`It is not JSON: ${error instanceof Error ? error.message.split('\n', 1)[0] : ''}`]);
  }
}

function complaintsOf({ path, message, ...issue }: z.core.$ZodIssue): readonly string[] {
  const kinds = [...ruleKinds, ...conditionKinds].map(({ when }) => when).join(', ');
  const isKind = issue.code === 'invalid_union' && path.at(-1) === 'when';
  return [`${placeOf(path)}: ${isKind ? `one of ${kinds}` : message}`];
}

/** What rules need beside themselves: a name that no other has, channels that lead somewhere, templates that can be read. */
async function togetherness(given: unknown, configured: readonly ChannelName[]): Promise<readonly string[]> {
  const rules: unknown = partOf(given, 'rules');
  if (!Array.isArray(rules)) return [];
  const names = rules.map((rule) => partOf(rule, 'name'));
  const complaints: string[] = [];
  for (const [index, rule] of rules.entries()) {
    const [name, channels, template] = ['name', 'channels', 'template'].map((key) => partOf(rule, key));
    const place = (key: string) => placeOf(['rules', index, key]);
    if (name !== undefined && names.indexOf(name) !== index) complaints.push(`${place('name')}: another rule has it`);
    for (const channel of Array.isArray(channels) ? channels : [])
      if (Object.hasOwn(settingsOf, channel) && !configured.includes(channel))
        complaints.push(`${place('channels')}: ${channel} is not configured (${settingsOf[channel as Configurable]})`);
    const complaint = typeof template === 'string' ? await templateFault(template) : undefined;
    if (complaint !== undefined) complaints.push(`${place('template')}: ${complaint}`);
  }
  return complaints;
}

type Configurable = Exclude<ChannelName, 'log'>;
const settingsOf: Readonly<Record<Configurable, string>> = {
  slack: 'ALERT_SLACK_URL',
  webhook: 'ALERT_WEBHOOK_URL and ALERT_WEBHOOK_SECRET',
  email: 'ALERT_SMTP_URL and ALERT_EMAIL_TO',
};

/** Most rules have none, and what reads them is large. */
async function templateFault(template: string): Promise<string | undefined> {
  const { templateComplaint } = await import('#workers/alerts/message/template.ts');
  return templateComplaint(template);
}

const placeOf = (path: readonly PropertyKey[]): string => (path.length === 0 ? 'The file' : path.map(String).join('.'));

function partOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[key] : undefined;
}

function refused(complaints: readonly string[]): SlotstreamError {
  return new SlotstreamError('config', ['ALERTS_FILE:', ...complaints].join('\n'), {
    hint: 'Correct the file; docs/alerts.md describes it.',
  });
}
