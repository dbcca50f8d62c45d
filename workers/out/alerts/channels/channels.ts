// The registry of channels, and which of them are configured. Each is loaded when it is opened: most processes use one or none.
import { isLoopback } from '#src/base/loopback.ts';
import type { Config } from '#src/config/load.ts';
import type { Log } from '#src/observability/log.ts';
import { type Channel } from './channel.ts';
import { ownNameOf, type OwnAddress } from './own-address.ts';
import type { SlackBot } from './slack.ts';
import { channelNames, type ChannelName } from '#src/store/alerts/channel-names.ts';

export type ChannelSettings = Omit<Config['alerts'], 'file' | 'graceMs' | 'maxAgeMs' | 'adminUrl' | 'slackApp'> &
  Partial<Pick<Config['alerts'], 'slackApp'>>;

export interface ChannelNeeds {
  readonly log: Pick<Log, 'info' | 'warn'>;
  readonly clock: () => number;
  /** Undefined without ALERT_SLACK_TOKEN. */
  readonly slackBot?: SlackBot | undefined;
}

type Open = (needs: ChannelNeeds) => Promise<Channel>;

/** Opens each channel; undefined when it is not configured. */
const registry: Readonly<Record<ChannelName, (settings: ChannelSettings) => Open | undefined>> = {
  log: () => async (needs) => (await import('./log.ts')).openLog(needs),
  slack: ({ slackUrl: url, ...settings }) =>
    url === undefined
      ? undefined
      : async (needs) =>
          (await import('./slack.ts')).openSlack({ ...needs, ...(await outgoingFor(needs, settings)) }, { url }),
  teams: ({ teamsUrl: url, ...settings }) =>
    url === undefined
      ? undefined
      : async (needs) => (await import('./teams.ts')).openTeams(await outgoingFor(needs, settings), { url }),
  discord: ({ discordUrl: url, ...settings }) =>
    url === undefined
      ? undefined
      : async (needs) => (await import('./discord.ts')).openDiscord(await outgoingFor(needs, settings), { url }),
  pagerduty: ({ pagerdutyKey: key, pagerdutyUrl: url, installation: source, ...settings }) =>
    key === undefined
      ? undefined
      : async (needs) =>
          (await import('./pagerduty.ts')).openPagerDuty(await outgoingFor(needs, settings), { url, key, source }),
  ntfy: ({ ntfyUrl: url, ntfyToken: token, ...settings }) =>
    url === undefined
      ? undefined
      : async (needs) => (await import('./ntfy.ts')).openNtfy(await outgoingFor(needs, settings), { url, token }),
  webhook: ({ webhookUrl: url, webhookSecret: secret, ...settings }) =>
    url === undefined || secret === undefined
      ? undefined
      : async (needs) =>
          (await import('./webhook.ts')).openWebhook(await outgoingFor(needs, settings), { url, secret }),
  email: ({ smtpUrl: url, emailTo: to, allowPrivate }) =>
    url === undefined || to === undefined
      ? undefined
      : async (needs) =>
          (await import('./email.ts')).openEmail(await outgoingFor(needs, { allowPrivate }), { url, to, allowPrivate }),
};

async function outgoingFor({ clock }: ChannelNeeds, { allowPrivate }: Pick<ChannelSettings, 'allowPrivate'>) {
  const { createOutgoing } = await import('#src/egress/http.ts');
  return { outgoing: createOutgoing({}, { allowPrivate }), clock };
}

/** The channels of a rule that names none: all that are configured, or the log when none is. Every rule may name the log. */
export function configuredChannels(settings: ChannelSettings): readonly ChannelName[] {
  const configured = channelNames.filter((name) => name !== 'log' && registry[name](settings) !== undefined);
  return configured.length === 0 ? ['log'] : configured;
}

/** Mail to this machine does not cross a network. */
function isUnencryptedMail(smtpUrl: string | undefined): boolean {
  const url = URL.parse(smtpUrl ?? '');
  return url?.protocol === 'smtp:' && !isLoopback(url);
}

interface AddressedRule {
  readonly name: string;
  readonly addresses: readonly OwnAddress[];
}

/** Opens all configured channels and the log by their name, and those at the addresses of rules: `slack of sales`. */
export async function openChannels(
  settings: ChannelSettings,
  needs: ChannelNeeds,
  rules: Iterable<AddressedRule> = [],
): Promise<ReadonlyMap<string, Channel>> {
  const own = [...rules].flatMap(({ name: rule, addresses }) => addresses.map((address) => ({ rule, ...address })));
  for (const [variable, url] of [
    ['ALERT_SLACK_URL', settings.slackUrl],
    ['ALERT_TEAMS_URL', settings.teamsUrl],
    ['ALERT_DISCORD_URL', settings.discordUrl],
    ['ALERT_PAGERDUTY_URL', settings.pagerdutyUrl],
    ['ALERT_NTFY_URL', settings.ntfyUrl],
    ['ALERT_WEBHOOK_URL', settings.webhookUrl],
    ...own.map(({ rule, channel, url }) => [`${channel}_url of the rule ${rule}`, url] as const),
  ] as const)
    if (url?.startsWith('http:') && !settings.allowPrivate)
      needs.log.warn({ variable }, 'alerts are sent without encryption: anyone on the network can read them');
  if (settings.slackApp?.apiUrl.startsWith('http:') && !settings.allowPrivate)
    needs.log.warn({ variable: 'ALERT_SLACK_API_URL' }, 'the Slack app is not called: its address has no encryption');
  if (settings.allowPrivate && isUnencryptedMail(settings.smtpUrl))
    needs.log.warn(
      { variable: 'ALERT_SMTP_URL' },
      'alerts are mailed without encryption where the mail server offers none',
    );
  const opened = [
    ...channelNames.map((name) => ({ key: name, open: registry[name](settings) })),
    ...own.map(({ rule, channel, url }) => ({
      key: ownNameOf(channel, rule),
      open: registry[channel]({ ...settings, [`${channel}Url`]: url }),
    })),
  ];
  return new Map(
    await Promise.all(
      opened.flatMap(({ key, open }) =>
        open === undefined ? [] : [open(needs).then((channel) => [key, channel] as const)],
      ),
    ),
  );
}
