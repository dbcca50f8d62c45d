// The rules as an operator writes them: one JSON file, read strictly, every complaint at once.
import { z } from 'zod';
import { channelNames } from '#workers/alerts/channels/channel-name.ts';
import type { ConditionKind } from '#workers/alerts/conditions/condition.ts';
import { conditionKinds } from '#workers/alerts/conditions/conditions.ts';
import { span, spanOrNone } from '#src/config/readers.ts';
import { filter } from './filter.ts';
import { quietHours } from '#workers/alerts/outbox/quiet-hours.ts';
import type { RuleKind } from './rule.ts';
import { ruleKinds } from './rules.ts';

const common = {
  /** Part of the identity of its alerts: renamed, it is another rule. */
  name: z.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, 'small letters, digits, - and _'),
  /** All that are configured, where it does not say. */
  channels: z.array(z.enum(channelNames)).min(1).optional(),
  quiet_hours: quietHours.optional(),
  /** Gathers what is due into one message each time this passes. */
  digest: span.optional(),
  /** Liquid; the variables are in docs/alerts.md. */
  template: z.string().min(1).max(4_000).optional(),
};

const ofBookings = { filter: filter.default({}), grace: spanOrNone.optional() };

const variantOf = ({ when, options }: RuleKind | ConditionKind, more: z.ZodRawShape) =>
  z.strictObject({ ...common, ...more, when: z.literal(when), ...options });

const rule = z.discriminatedUnion('when', [
  variantOf(ruleKinds[0], ofBookings),
  ...ruleKinds.slice(1).map((kind) => variantOf(kind, ofBookings)),
  ...conditionKinds.map((kind) => variantOf(kind, {})),
]);

/** That no two have one name is for whoever loads it to see (`ruleset.ts`). */
export const rulesFile = z.strictObject({ rules: z.array(rule).max(200) });
