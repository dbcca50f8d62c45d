// The rules file: one JSON object, validated strictly; all mistakes are reported at once, each by the name of its rule.
import { z } from 'zod';
import { isObject } from '#schemas/wire.ts';
import { spanOrNone } from '#src/config/readers.ts';
import { channelNames } from '#src/store/alerts/channel-names.ts';
import { suspectedNoShow, unconfirmed } from '#workers/out/alerts/attendance/attendance-rules.ts';
import { addressFields } from '#workers/out/alerts/channels/own-address.ts';
import { conditionKinds } from '#workers/out/alerts/conditions/conditions.ts';
import { factNames } from '#workers/out/alerts/message/booking-text.ts';
import { digest, quietHours } from '#workers/out/alerts/outbox/quiet-hours.ts';
import { formWithoutBooking } from '#workers/out/alerts/submissions/form-without-booking.ts';
import { filter } from './filter.ts';
import { lateCancel } from '#workers/out/alerts/bookings/late-cancel.ts';
import { noShow, repeatNoShow } from '#workers/out/alerts/bookings/no-show.ts';
import { mistakesIn, ruleText } from './mistake-text.ts';
import type { RuleKind } from './rule.ts';
import { slackUsers } from './to-host.ts';
import { vip } from '#workers/out/alerts/bookings/vip.ts';
import { weeklySummary } from '#workers/out/alerts/summary/weekly-summary.ts';

/** Every kind of rule about bookings. Rules about the mirror itself are conditions. */
export const bookingKinds: readonly RuleKind[] = [noShow, repeatNoShow, lateCancel, vip, suspectedNoShow, unconfirmed];

/** Every kind of rule about submissions of routing forms. */
export const submissionKinds = [formWithoutBooking];

/** Every kind of rule about the numbers of a period. */
export const summaryKinds = [weeklySummary];

const kindNames = [...bookingKinds, ...submissionKinds, ...summaryKinds, ...conditionKinds].map(({ when }) => when);

const liquid = z.string().min(1).max(4_000);

/** The fields of every rule. */
export const commonFields = {
  /** Part of the identity of its alerts: a renamed rule is a new rule. */
  name: z.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, 'lower-case letters, digits, - and _'),
  when: z.enum(kindNames),
  /** Default: all configured channels. */
  channels: z.array(z.enum(channelNames)).min(1).optional(),
  ...addressFields,
  quiet_hours: quietHours.optional(),
  /** Collects due alerts into one message per period, or a day. */
  digest: digest.optional(),
  /** Liquid; docs/alerts.md lists the variables. */
  template: liquid.optional(),
  /** The text of its retractions. */
  retraction_template: liquid.optional(),
};

/** The additional fields of rules about bookings. */
export const bookingFields = {
  filter: filter.default({}),
  grace: spanOrNone.optional(),
  /** Sends to the hosts of the booking: by e-mail instead of ALERT_EMAIL_TO, in Slack as a mention. */
  to_host: z.boolean().default(false),
  /** Facts, or the link, that its messages do not show. */
  omit: z.array(z.enum([...factNames, 'link'])).default([]),
};

const fileShape = z.strictObject({
  slack_users: slackUsers,
  rules: z.array(z.looseObject({})).max(200),
});

// A summary has a time of its own, and is not retracted.
const { digest: _digest, retraction_template: _template, ...ofSummaries } = commonFields;

const fieldsOfKinds = new Map<string, z.ZodRawShape>([
  ...bookingKinds.map(({ when, options, isReport }) => {
    const fields = { ...commonFields, ...bookingFields, ...options };
    // A report is a digest that waits for the evening.
    const { digest: _digest, grace: _grace, ...ofReports } = fields;
    return [when, isReport ? ofReports : fields] as const;
  }),
  ...[...submissionKinds, ...conditionKinds].map(
    ({ when, options }) => [when, { ...commonFields, ...options }] as const,
  ),
  ...summaryKinds.map(({ when, options }) => [when, { ...ofSummaries, ...options }] as const),
]);

/** A rule of an unknown kind may have the fields of every kind, so that its other mistakes are reported too. */
const allFields = [...fieldsOfKinds.values()].flatMap((fields) => Object.keys(fields));
const unknownKind = {
  ...Object.fromEntries(allFields.map((field) => [field, z.unknown().optional()])),
  ...bookingFields,
  ...commonFields,
};

/** Every mistake in the shape of the file, as `path: what is wrong`. */
export function shapeErrors(file: unknown): readonly string[] {
  const outer = mistakesIn(fileShape, file, Object.keys(fileShape.shape)).map(
    ({ path, text }) => `${path.length === 0 ? 'The file' : path.map(String).join('.')}: ${text}`,
  );
  const rules = isObject(file) && Array.isArray(file['rules']) ? file['rules'] : [];
  const inner = rules.flatMap((rule: unknown, index) => {
    if (!isObject(rule)) return [];
    const fields = fieldsOfKinds.get(String(rule['when'])) ?? unknownKind;
    return mistakesIn(z.strictObject(fields), rule, Object.keys(fields)).map(
      ({ path, text }) => `${ruleText(rule, index)}: ${path.map(String).join('.')} ${text}`,
    );
  });
  return [...outer, ...inner];
}
