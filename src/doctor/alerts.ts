// Checks alerts: the rules load and name fields that exist, channels are configured, Slack accepts its tokens, and links lead somewhere.
import { slotstream } from '#src/base/command.ts';
import type { Config } from '#src/config/load.ts';
import type { Store } from '#src/store/contract.ts';
import { configuredChannels } from '#workers/out/alerts/channels/channels.ts';
import { unknownContactFields } from '#workers/out/alerts/rules/custom-fields.ts';
import { loadRules, type Ruleset } from '#workers/out/alerts/rules/ruleset.ts';
import { unknownFormNames } from '#workers/out/alerts/submissions/form-without-booking.ts';
import { openIfAny, type Check } from './check.ts';

const name = 'alerts';

export const checkAlerts: Check = async ({ config: { alerts }, mirror }, report) => {
  const configured = configuredChannels(alerts);
  const ruleset = await loadRules({ ...alerts, configured });
  const rules = [...ruleset.byName.values()];
  const channels = [...new Set(rules.flatMap((rule) => rule.channels))];
  const hasExternal = channels.some((channel) => channel !== 'log');
  const summary = `${rules.length} alert ${rules.length === 1 ? 'rule' : 'rules'}, sent to: ${channels.join(', ')}.`;
  const advice = 'To send them elsewhere too, set up a channel (docs/alerts.md).';
  // Alerts in the log alone are a choice, not a fault.
  report.ok(name, hasExternal ? summary : `${summary} ${advice}`);
  const store = await openIfAny(mirror);
  for (const { message, fix } of await alertWarnings({ alerts, rules: ruleset, store }))
    report.warning(name, message, fix);
};

/** Channels that people read; the others have no use for a link. */
const isForPeople = (channel: string): boolean => !['log', 'webhook'].includes(channel);

interface WarningInput {
  readonly alerts: Config['alerts'];
  readonly rules: Ruleset;
  /** Undefined where there is no mirror yet. */
  readonly store: Store | undefined;
}

/** What makes alerts useless without being a mistake of the rules file. */
export async function alertWarnings({ alerts, rules, store }: WarningInput) {
  const isRead = [...rules.byName.values()].some(({ channels }) => channels.some(isForPeople));
  const noLinks = {
    message: 'Alerts have no links: the address of the admin listener is not known to other machines.',
    fix: 'Set ADMIN_URL to the address under which people reach the admin listener.',
  };
  const fields = store === undefined ? [] : await unknownContactFields(store, rules.bookings);
  const forms = store === undefined ? [] : await unknownFormNames(store, rules.submissions);
  const fixOf = (what: string, part: string) =>
    `Correct ALERTS_FILE; if the ${what} is new: ${slotstream} backfill ${part}`;
  return [
    ...(await slackWarnings(alerts.slackApp)),
    ...(isRead && alerts.adminUrl === undefined ? [noLinks] : []),
    ...fields.map((message) => ({ message, fix: fixOf('field', 'custom_field_definitions') })),
    ...forms.map((message) => ({ message, fix: fixOf('form', 'routing_forms') })),
  ];
}

async function slackWarnings(app: Config['alerts']['slackApp']) {
  if (app === undefined) return [];
  const { slackTokenWarnings } = await import('#workers/out/slack/token-check.ts');
  return slackTokenWarnings(app);
}
