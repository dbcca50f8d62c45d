// The rules of this installation: those of the rules file, or the default ones, with their channels and options resolved.
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { propertyOf } from '#schemas/wire.ts';
import { jsonMistake } from '#src/base/json-mistake.ts';
import { codeOf, SlotstreamError } from '#src/base/errors.ts';
import type { ChannelName } from '#src/store/alerts/channel-names.ts';
import type { ConditionInput, Problems } from '#workers/out/alerts/conditions/condition.ts';
import { ownAddresses, type OwnAddress } from '#workers/out/alerts/channels/own-address.ts';
import { conditionKinds } from '#workers/out/alerts/conditions/conditions.ts';
import type { DigestTime, QuietHours } from '#workers/out/alerts/outbox/quiet-hours.ts';
import type { BoundSubmissionRule } from '#workers/out/alerts/submissions/form-without-booking.ts';
import type { SubmissionContext } from '#workers/out/alerts/submissions/submission.ts';
import { fieldValues, matchesFilter } from './filter.ts';
import type { BoundRule, RuleKind } from './rule.ts';
import type { BookingContext } from '#src/read/bookings/booking-context.ts';
import { crossRuleErrors } from './cross-rule-errors.ts';
import { bookingFields, bookingKinds, commonFields, shapeErrors, submissionKinds, summaryKinds } from './rules-file.ts';
import type { RecordRule } from './subject.ts';
import { hostRecipients, slackUsers } from './to-host.ts';

interface RuleSettings {
  readonly name: string;
  /** Its kind. */
  readonly when: string;
  /** The title, the description and the page of its kind. */
  readonly title: string;
  readonly about: string;
  readonly page: string;
  readonly channels: readonly ChannelName[];
  readonly addresses: readonly OwnAddress[];
  readonly quiet: QuietHours | undefined;
  readonly digest: DigestTime | undefined;
  readonly template: string | undefined;
  readonly retractionTemplate: string | undefined;
}

export interface BookingRule extends RuleSettings, BoundRule, RecordRule<BookingContext> {
  readonly on: 'booking';
  readonly channels: readonly ChannelName[];
  readonly titles: RuleKind['titles'];
  readonly omit: readonly string[];
  /** The fields of contacts that it names, with the values it looks for. */
  readonly contactFields: readonly { readonly field: string; readonly values: readonly unknown[] }[];
  /** Whether it depends on the contact, on other no-show marks of the person, and on recaps. */
  readonly readsContact: boolean;
  readonly readsMarks: boolean;
  readonly readsAttendance: boolean;
}

/** A rule about submissions of routing forms. */
export interface SubmissionRule extends RuleSettings, BoundSubmissionRule, RecordRule<SubmissionContext> {
  readonly on: 'submission';
  readonly channels: readonly ChannelName[];
}

export interface ConditionRule extends RuleSettings {
  readonly on: 'condition';
  readonly isGrouped?: boolean | undefined;
  find(health: ConditionInput): Promise<Problems> | Problems;
}

/** A rule about the numbers of the last week. */
export interface SummaryRule extends RuleSettings {
  readonly on: 'summary';
  /** Of Monday, in the zone of reports. */
  readonly at: string;
  readonly zone: string;
  /** It is not collected with others. */
  readonly isReport: true;
}

export type AlertRule = BookingRule | SubmissionRule | SummaryRule | ConditionRule;

/** A rule that the log leads to. */
export type WatchedRule = BookingRule | SubmissionRule;

export interface Ruleset {
  readonly bookings: readonly BookingRule[];
  readonly submissions: readonly SubmissionRule[];
  readonly summaries: readonly SummaryRule[];
  readonly conditions: readonly ConditionRule[];
  readonly byName: ReadonlyMap<string, AlertRule>;
}

export interface RulesetInput {
  /** `ALERTS_FILE`; undefined for the default rules. */
  readonly file: string | undefined;
  /** `ALERT_GRACE`. */
  readonly graceMs: number;
  /** The configured channels; the log is always available as well. */
  readonly configured: readonly ChannelName[];
  /** `REPORT_TIMEZONE`: of hosts whose profile has no time zone. */
  readonly reportZone?: string;
}

const common = z.object(commonFields);
const ofBookings = z.object(bookingFields);

/** Throws one error that lists every mistake in the file by the name of its rule. */
export async function loadRules({ file, graceMs, configured, reportZone = 'UTC' }: RulesetInput): Promise<Ruleset> {
  const given = file === undefined ? defaultRules : await readRules(file);
  const mistakes = [...shapeErrors(given), ...(await crossRuleErrors(rulesIn(given), configured))];
  if (mistakes.length > 0) throw invalidFile(file, mistakes);
  const external = configured.filter((name) => name !== 'log');
  const settingsOf = (rule: unknown, { title, about, page }: Pick<RuleSettings, 'title' | 'about' | 'page'>) => {
    const { name, when, channels, quiet_hours: quiet, digest: collected, ...texts } = common.parse(rule);
    const addresses = ownAddresses(rule);
    const all = [...new Set(channels ?? [...external, ...addresses.map(({ channel }) => channel)])];
    const named: readonly ChannelName[] = all.length > 0 ? all : ['log'];
    const digest: DigestTime | undefined =
      typeof collected === 'object' ? { at: collected.at, timezone: collected.timezone ?? reportZone } : collected;
    const { template, retraction_template: retractionTemplate } = texts;
    return {
      name,
      when,
      title,
      about,
      page,
      channels: named,
      addresses,
      quiet,
      digest,
      template,
      retractionTemplate,
    };
  };
  const rulesOf = <Kind extends { readonly when: string }>(kinds: readonly Kind[]) =>
    rulesIn(given).flatMap((rule) => {
      const kind = kinds.find(({ when }) => when === propertyOf(rule, 'when'));
      return kind === undefined ? [] : [{ rule, kind }];
    });
  const users = slackUsers.parse(propertyOf(given, 'slack_users'));
  const bookings = rulesOf(bookingKinds).map(({ rule, kind }): BookingRule => {
    const { filter, grace, omit, to_host: isToHost } = ofBookings.parse(rule);
    const bound = kind.bind(rule, reportZone);
    return {
      ...settingsOf(rule, kind),
      ...bound,
      on: 'booking',
      isTimed: kind.isReport,
      isReport: kind.isReport,
      titles: kind.titles,
      omit,
      contactFields: [filter.contact ?? {}, fieldValues.catch({}).parse(propertyOf(rule, 'contact'))].flatMap(
        (fields) => Object.entries(fields).map(([field, wanted]) => ({ field, values: [wanted].flat() })),
      ),
      graceMs: kind.isReport ? 0 : (grace ?? graceMs),
      readsContact: kind.reads === 'contact' || filter.contact !== undefined,
      readsMarks: kind.reads === 'marks',
      readsAttendance: kind.reads === 'attendance',
      hostsOf: isToHost ? (context, only) => hostRecipients(context, users, only) : undefined,
      find: (context: BookingContext) => (matchesFilter(filter, context) ? bound.find(context) : []),
    };
  });
  const submissions = rulesOf(submissionKinds).map(({ rule, kind }): SubmissionRule => ({
    ...settingsOf(rule, kind),
    ...kind.bind(rule),
    on: 'submission',
    // Its time without a booking is its grace period.
    graceMs: 0,
    isTimed: true,
    isReport: false,
  }));
  const summaries = rulesOf(summaryKinds).map(({ rule, kind }): SummaryRule => ({
    ...settingsOf(rule, kind),
    ...z.object(kind.options).parse(rule),
    on: 'summary',
    zone: reportZone,
    isReport: true,
  }));
  const conditions = rulesOf(conditionKinds).map(({ rule, kind }): ConditionRule => ({
    ...settingsOf(rule, kind),
    on: 'condition',
    isGrouped: kind.isGrouped,
    find: kind.bind(rule),
  }));
  const all = [...bookings, ...submissions, ...summaries, ...conditions];
  return { bookings, submissions, summaries, conditions, byName: new Map(all.map((rule) => [rule.name, rule])) };
}

const defaultKinds = [
  'no_show',
  'subscription',
  'quarantine',
  'lag',
  'drift',
  'database',
  'clock_skew',
  'disk_log',
  'disk',
  'process',
  'job',
  'alerts',
];
const defaultRules = { rules: defaultKinds.map((when) => ({ name: when, when })) };

async function readRules(file: string): Promise<unknown> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw invalidFile(file, [`The file cannot be read (${codeOf(error)}).`]);
  }
  const mistake = jsonMistake(text);
  if (mistake !== undefined)
    throw invalidFile(file, [`It is not JSON. ${mistake[0]?.toUpperCase()}${mistake.slice(1)}`]);
  return JSON.parse(text);
}

function rulesIn(file: unknown): readonly unknown[] {
  const rules = propertyOf(file, 'rules');
  return Array.isArray(rules) ? rules : [];
}

function invalidFile(file: string | undefined, mistakes: readonly string[]): SlotstreamError {
  return new SlotstreamError('config', [`ALERTS_FILE (${file}):`, ...mistakes].join('\n'), {
    hint: 'Correct the file; docs/alerts.md describes it.',
  });
}
