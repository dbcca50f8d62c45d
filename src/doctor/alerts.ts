// Alerts: somebody hears them, the rules can be read, and none was given up.
import { countAlerts } from '#src/store/alerts/alert-queries.ts';
import { configuredChannels } from '#workers/alerts/channels/channels.ts';
import { loadRules } from '#workers/alerts/rules/ruleset.ts';
import type { Check } from './check.ts';
import { ill, well, type Finding } from './finding.ts';
import { openMirrorIfAny } from './mirror.ts';

const name = 'alerts';

export const checkAlerts: Check = async ({ config: { alerts, ...config }, log }) => {
  const configured = configuredChannels(alerts);
  const { bookings, conditions } = await loadRules({ ...alerts, configured });
  const rules = [...bookings, ...conditions];
  const channels = [...new Set(rules.flatMap((rule) => rule.channels))];
  const isHeard = channels.some((channel) => channel !== 'log');
  const told = `${rules.length} rules speak through ${channels.join(', ')}.`;
  const advice = 'To be told elsewhere too, set ALERT_SLACK_URL, ALERT_WEBHOOK_URL or ALERT_SMTP_URL.';
  // The log alone is a choice, not a fault.
  const found: Finding[] = [well(name, isHeard ? told : `${told} ${advice}`)];
  await using store = await openMirrorIfAny({ config: { alerts, ...config }, log });
  if (store === undefined) return found;
  const failed = (await countAlerts(store)).filter(({ state }) => state === 'failed');
  for (const { channel, count } of failed)
    found.push(
      ill(
        name,
        `${count} could not be sent to ${channel}.`,
        `npx slotstream alerts test --channel ${channel}; once that is well: npx slotstream alerts resend --failed`,
      ),
    );
  return found;
};
