// The names under which rules ask for channels.
export const channelNames = ['log', 'slack', 'webhook', 'email'] as const;
export type ChannelName = (typeof channelNames)[number];
