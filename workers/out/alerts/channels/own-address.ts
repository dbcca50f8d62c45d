// The address of a channel that belongs to one rule: `slack_url` beside the rule instead of ALERT_SLACK_URL. It is a secret, and is used to
// send only.
import { z } from 'zod';
import { propertyOf } from '#schemas/wire.ts';
import { calledAddress } from '#src/config/readers.ts';
import type { ChannelName } from '#src/store/alerts/channel-names.ts';

/** The channels whose address a rule can have. */
const addressed = ['slack', 'teams', 'discord'] as const satisfies readonly ChannelName[];
type Addressed = (typeof addressed)[number];

export interface OwnAddress {
  readonly channel: Addressed;
  readonly url: string;
}

// The text never repeats the value.
const ownAddress = z
  .string()
  .refine((value) => calledAddress.safeParse(value).success, 'must be a web address without a user name')
  .optional();

/** The fields of a rule. */
export const addressFields = { slack_url: ownAddress, teams_url: ownAddress, discord_url: ownAddress };

export function ownAddresses(rule: unknown): readonly OwnAddress[] {
  return addressed.flatMap((channel) => {
    const url = propertyOf(rule, `${channel}_url`);
    return typeof url === 'string' ? [{ channel, url }] : [];
  });
}

/** Addresses of channels that the rule does not use, by field. */
export const unusedAddresses = (rule: unknown, channels: unknown): readonly string[] =>
  ownAddresses(rule)
    .filter(({ channel }) => Array.isArray(channels) && !channels.includes(channel))
    .map(({ channel }) => `${channel}_url`);

/** Under which name the channel of a rule is open: its own, or that of all rules. */
export function openNameOf(channels: ReadonlyMap<string, unknown>, channel: string, rule: string): string {
  const own = ownNameOf(channel, rule);
  return channels.has(own) ? own : channel;
}

export const ownNameOf = (channel: string, rule: string): string => `${channel} of ${rule}`;
