// Mistakes of a rules file that its shape does not show: names twice, channels that are not configured, templates that cannot be parsed.
import { propertyOf } from '#schemas/wire.ts';
import type { ChannelName } from '#src/store/alerts/channel-names.ts';
import { ownAddresses, unusedAddresses } from '#workers/out/alerts/channels/own-address.ts';
import { ruleText } from './mistake-text.ts';
import { toHostErrors } from './to-host.ts';

/** Checks that names are unique, that channels are configured and that templates can be parsed. */
export async function crossRuleErrors(
  rules: readonly unknown[],
  configured: readonly ChannelName[],
): Promise<readonly string[]> {
  const names = rules.map((rule) => propertyOf(rule, 'name'));
  const mistakes: string[] = [];
  for (const [index, rule] of rules.entries()) {
    const [name, channels] = ['name', 'channels'].map((key) => propertyOf(rule, key));
    const report = (key: string, text: string) => mistakes.push(`${ruleText(rule, index)}: ${key} ${text}`);
    if (name !== undefined && names.indexOf(name) !== index) report('name', 'is the name of another rule too');
    const usable = [...configured, ...ownAddresses(rule).map(({ channel }) => channel)];
    for (const field of unusedAddresses(rule, channels)) report(field, 'is the address of a channel it does not use');
    for (const channel of Array.isArray(channels) ? channels : []) {
      const variables = channelVariables.get(channel);
      if (variables !== undefined && !usable.includes(channel))
        report('channels', `has ${channel}, which is not configured (${variables})`);
    }
    for (const key of ['template', 'retraction_template']) {
      const template = propertyOf(rule, key);
      const mistake = typeof template === 'string' ? await templateError(template) : undefined;
      if (mistake !== undefined) report(key, `is wrong: ${mistake}`);
    }
    for (const mistake of toHostErrors(rule, usable)) report('to_host', mistake);
  }
  return mistakes;
}

/** The settings of each channel that needs some. */
export const channelVariables: ReadonlyMap<unknown, string> = new Map(
  Object.entries({
    slack: 'ALERT_SLACK_URL',
    teams: 'ALERT_TEAMS_URL',
    discord: 'ALERT_DISCORD_URL',
    pagerduty: 'ALERT_PAGERDUTY_KEY',
    ntfy: 'ALERT_NTFY_URL',
    webhook: 'ALERT_WEBHOOK_URL and ALERT_WEBHOOK_SECRET',
    email: 'ALERT_SMTP_URL and ALERT_EMAIL_TO',
  } satisfies Record<Exclude<ChannelName, 'log'>, string>),
);

/** The template engine is large and most rules have no template: it is loaded when needed. */
async function templateError(template: string): Promise<string | undefined> {
  const { checkTemplate } = await import('#workers/out/alerts/message/template.ts');
  return checkTemplate(template);
}
