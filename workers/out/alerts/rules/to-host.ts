// `to_host`: sends the alerts of a rule to the hosts of the booking, by e-mail and as mentions in Slack.
import { z } from 'zod';
import { propertyOf } from '#schemas/wire.ts';
import { isMailAddress } from '#src/egress/smtp-url.ts';
import type { ChannelName } from '#src/store/alerts/channel-names.ts';
import type { MessageHost } from '#workers/out/alerts/message/message.ts';
import { hostsOf } from '#src/read/bookings/hosts.ts';
import type { BookingContext } from '#src/read/bookings/booking-context.ts';

/** Ids of Slack users by the host's e-mail address, for mentions. */
export const slackUsers = z
  .record(z.string(), z.string().regex(/^[UW][A-Z0-9]{2,30}$/, 'the id of a Slack user, such as U012AB3CD'))
  .superRefine((users, context) => {
    for (const email of Object.keys(users).filter((key) => !isMailAddress(key)))
      context.addIssue({ code: 'custom', path: [email], message: "not a host's e-mail address" });
  })
  .default({})
  .transform((users) => new Map(Object.entries(users).map(([email, user]) => [email.toLowerCase(), user])));

/** The hosts of a booking, or only one of them, whose e-mail address is known. The addresses are JSON as the service sent it. */
export function hostRecipients(
  context: BookingContext,
  users: ReadonlyMap<string, string>,
  only?: string,
): readonly MessageHost[] {
  const meant = hostsOf(context).filter(({ uri }) => only === undefined || uri === only);
  const addresses = meant.flatMap(({ email }) => (email !== undefined && isMailAddress(email) ? email : []));
  return [...new Set(addresses)].map((email) => ({ email, slackUser: users.get(email.toLowerCase()) }));
}

/** What keeps a rule from having `to_host`; nothing when it does not have it. */
export function toHostErrors(rule: unknown, configured: readonly ChannelName[]): readonly string[] {
  if (propertyOf(rule, 'to_host') !== true) return [];
  const channels: unknown = propertyOf(rule, 'channels') ?? configured;
  const canReachHosts = Array.isArray(channels) && ['email', 'slack'].some((channel) => channels.includes(channel));
  return [
    // One message about the bookings of many hosts would show each host those of the others.
    ...(propertyOf(rule, 'digest') === undefined ? [] : ['cannot be combined with digest']),
    ...(canReachHosts ? [] : ['needs the channel email or slack']),
  ];
}
