// The registry of channels, and which of them are configured. Each is loaded when it is opened: most processes use one or none.
import type { Config } from '#src/config/load.ts';
import type { Log } from '#src/observability/log.ts';
import { channelNames, type Channel, type ChannelName } from './channel.ts';

export type ChannelSettings = Pick<
  Config['alerts'],
  'slackUrl' | 'webhookUrl' | 'webhookSecret' | 'smtpUrl' | 'emailTo' | 'allowPrivate'
>;

export interface ChannelNeeds {
  readonly log: Pick<Log, 'info' | 'warn'>;
  readonly clock: () => number;
}

type Open = (needs: ChannelNeeds) => Promise<Channel>;

/** Opens each channel; undefined when it is not configured. */
const registry: Readonly<Record<ChannelName, (settings: ChannelSettings) => Open | undefined>> = {
  log: () => async (needs) => (await import('./log.ts')).openLog(needs),
  slack({ slackUrl: url, allowPrivate }) {
    if (url === undefined) return undefined;
    return async ({ clock }) => {
      const { openSlack } = await import('./slack.ts');
      return openSlack({ outgoing: await openOutgoing(allowPrivate), clock }, { url });
    };
  },
  webhook({ webhookUrl: url, webhookSecret: secret, allowPrivate }) {
    if (url === undefined || secret === undefined) return undefined;
    return async ({ clock }) => {
      const { openWebhook } = await import('./webhook.ts');
      return openWebhook({ outgoing: await openOutgoing(allowPrivate), clock }, { url, secret });
    };
  },
  email({ smtpUrl: url, emailTo: to, allowPrivate }) {
    if (url === undefined || to === undefined) return undefined;
    return async () => {
      const { openEmail } = await import('./email.ts');
      return openEmail({ outgoing: await openOutgoing(allowPrivate) }, { url, to, allowPrivate });
    };
  },
};

async function openOutgoing(allowPrivate: boolean) {
  const { createOutgoing } = await import('#src/egress/http.ts');
  return createOutgoing({}, { allowPrivate });
}

/** The channels of a rule that names none: all that are configured, or the log when none is. Every rule may name the log. */
export function configuredChannels(settings: ChannelSettings): readonly ChannelName[] {
  const configured = channelNames.filter((name) => name !== 'log' && registry[name](settings) !== undefined);
  return configured.length === 0 ? ['log'] : configured;
}

/** Opens all configured channels and the log. */
export async function openChannels(
  settings: ChannelSettings,
  needs: ChannelNeeds,
): Promise<ReadonlyMap<ChannelName, Channel>> {
  for (const [variable, url] of [
    ['ALERT_SLACK_URL', settings.slackUrl],
    ['ALERT_WEBHOOK_URL', settings.webhookUrl],
  ] as const)
    if (url?.startsWith('http:') && !settings.allowPrivate)
      needs.log.warn({ variable }, 'alerts are sent without encryption: anyone on the network can read them');
  const opened = channelNames.flatMap((name) => {
    const open = registry[name](settings);
    return open === undefined ? [] : [open(needs).then((channel) => [name, channel] as const)];
  });
  return new Map(await Promise.all(opened));
}
