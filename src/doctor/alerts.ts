// Checks alerts: the rules load, channels are configured, and no alert was given up.
import { slotstream } from '#src/base/command.ts';
import { countAlerts } from '#src/store/alerts/alert-queries.ts';
import { configuredChannels } from '#workers/alerts/channels/channels.ts';
import { loadRules } from '#workers/alerts/rules/ruleset.ts';
import { openMirrorIfAny, type Check } from './check.ts';

const name = 'alerts';

export const checkAlerts: Check = async ({ config: { alerts, ...config }, log }, report) => {
  const configured = configuredChannels(alerts);
  const { bookings, conditions } = await loadRules({ ...alerts, configured });
  const rules = [...bookings, ...conditions];
  const channels = [...new Set(rules.flatMap((rule) => rule.channels))];
  const hasExternal = channels.some((channel) => channel !== 'log');
  const summary = `${rules.length} rules send to ${channels.join(', ')}.`;
  const advice = 'To send them elsewhere too, set up a channel (docs/alerts.md).';
  // Alerts in the log alone are a choice, not a fault.
  report.ok(name, hasExternal ? summary : `${summary} ${advice}`);
  await using store = await openMirrorIfAny({ config: { alerts, ...config }, log });
  if (store === undefined) return;
  const failed = (await countAlerts(store)).filter(({ state }) => state === 'failed');
  for (const { channel, count } of failed)
    report.problem(
      name,
      `${count} ${count === 1 ? 'alert' : 'alerts'} could not be sent to ${channel}.`,
      `${slotstream} alerts test --channel ${channel}; when that works: ${slotstream} alerts resend --failed`,
    );
};
