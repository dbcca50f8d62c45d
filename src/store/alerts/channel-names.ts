// The channels that alerts are sent to.

/** The names that rules use. */
export const channelNames = ['log', 'slack', 'teams', 'discord', 'pagerduty', 'ntfy', 'webhook', 'email'] as const;
export type ChannelName = (typeof channelNames)[number];

/** Fails for a name that no channel has. */
export function channelNameOf(text: string): ChannelName {
  const name = channelNames.find((one) => one === text);
  if (name === undefined) throw new Error(`There is no alert channel "${text}".`);
  return name;
}
