// The environment variables about what the program sends to others: alerts, the feed, exports and the log.
import { z } from 'zod';
import { isMailAddress, readMailServer } from '#src/egress/smtp-url.ts';
import { feedSettings } from './feed-variables.ts';
import { address, calledAddress, commaList, duration, spanOrNone, text, yesOrNo, type Setting } from './readers.ts';

const callAddress = calledAddress.optional();

export const outgoingSettings = {
  ALERT_SLACK_URL: {
    reads: callAddress,
    default: '–',
    meaning: 'Incoming webhook for alerts, of Slack or a compatible service.',
    secret: true,
  },
  ALERT_SLACK_TOKEN: {
    reads: z
      .string()
      .regex(/^xoxb-[\w-]+$/, 'the bot token of a Slack app: xoxb-…')
      .optional(),
    default: '–',
    meaning: 'Bot token of a Slack app: messages to hosts are direct messages. Needs ALERT_SLACK_URL for all others.',
    secret: true,
  },
  ALERT_SLACK_APP_TOKEN: {
    reads: z
      .string()
      .regex(/^xapp-[\w-]+$/, 'an app-level token of a Slack app: xapp-…')
      .optional(),
    default: '–',
    meaning: 'App-level token of that app, for Socket Mode: direct messages have buttons.',
    secret: true,
  },
  ALERT_SLACK_API_URL: {
    reads: calledAddress.default('https://slack.com/api/'),
    default: 'https://slack.com/api/',
    meaning: 'The Web API of Slack; `https://slack-gov.com/api/` for GovSlack.',
  },
  ALERT_TEAMS_URL: {
    reads: callAddress,
    default: '–',
    meaning: 'Webhook of a Microsoft Teams workflow for alerts.',
    secret: true,
  },
  ALERT_DISCORD_URL: {
    reads: callAddress,
    default: '–',
    meaning: 'Webhook of a Discord channel for alerts.',
    secret: true,
  },
  ALERT_PAGERDUTY_KEY: {
    reads: z
      .string()
      .regex(/^[a-z\d]{32}$/i, 'an integration key of the Events API v2: 32 letters and digits')
      .optional(),
    default: '–',
    meaning: 'Integration key of a PagerDuty service (Events API v2) for alerts.',
    secret: true,
  },
  ALERT_PAGERDUTY_URL: {
    reads: calledAddress.default('https://events.pagerduty.com/v2/enqueue'),
    default: 'https://events.pagerduty.com/v2/enqueue',
    meaning: 'The Events API of PagerDuty; `https://events.eu.pagerduty.com/v2/enqueue` for an account in the EU.',
  },
  ALERT_NTFY_URL: {
    reads: calledAddress
      .refine(
        (value) => /^\/.*[^/]/.test(URL.parse(value)?.pathname ?? ''),
        'the address of a topic, such as https://ntfy.sh/TOPIC',
      )
      .optional(),
    default: '–',
    meaning: 'Topic of ntfy for alerts, such as `https://ntfy.sh/TOPIC`.',
    secret: true,
  },
  ALERT_NTFY_TOKEN: {
    reads: z
      .string()
      .regex(/^[\w-]+$/, 'an access token of ntfy, such as tk_…')
      .optional(),
    default: '–',
    meaning: 'Access token of ntfy, for a protected topic.',
    secret: true,
  },
  ALERT_WEBHOOK_URL: {
    reads: callAddress,
    default: '–',
    meaning: 'Your own webhook for alerts, signed (Standard Webhooks).',
    secret: true,
  },
  ALERT_WEBHOOK_SECRET: {
    reads: z.string().min(16, 'at least 16 characters').optional(),
    default: '–',
    meaning: 'Signing secret for ALERT_WEBHOOK_URL: `whsec_` and base64, or any text.',
    secret: true,
  },
  ALERT_SMTP_URL: {
    reads: address('smtp://', 'smtps://')
      .superRefine((value, context) => {
        const server = readMailServer(value);
        if (typeof server === 'string') context.addIssue({ code: 'custom', message: server });
      })
      .optional(),
    default: '–',
    meaning: 'Mail server for alerts: `smtps://USER:PASSWORD@HOST?from=ADDRESS`.',
    secret: true,
  },
  ALERT_EMAIL_TO: {
    reads: commaList
      .refine((parts) => parts.every(isMailAddress), 'mail addresses without names, separated by commas')
      .optional(),
    default: '–',
    meaning: 'Recipients of alerts by e-mail, comma-separated.',
    secret: true,
  },
  ALERTS_FILE: { reads: text, default: '–', meaning: 'File with alert rules.' },
  ANSWERS: {
    reads: z
      .enum(['on', 'off'], 'on or off')
      .default('off')
      .transform((value) => value === 'on'),
    default: 'off',
    meaning:
      '`on`: answer whether invitees came, on the dashboard and over the API. An answer marks a no-show at the service, or removes the mark; the token needs `scheduled_events:write`.',
  },
  ALERT_GRACE: {
    reads: spanOrNone.prefault('2m'),
    default: '2m',
    meaning: 'Delay before an alert about a booking is sent; `0` for none.',
  },
  ALERT_MAX_AGE: { reads: duration('24h'), default: '24h', meaning: 'Events older than this never cause an alert.' },
  ALERT_ALLOW_PRIVATE: {
    reads: yesOrNo(false),
    default: 'false',
    meaning: 'Allow alerts to private network addresses, and without encryption by mail and by the Slack app.',
  },
  ...feedSettings,
  AWS_ACCESS_KEY_ID: {
    reads: text,
    default: '– (the AWS SDK finds a profile, web identity or role)',
    meaning: 'Access key for exports to `s3://…`.',
    secret: true,
  },
  AWS_SECRET_ACCESS_KEY: { reads: text, default: '–', meaning: 'The secret of that access key.', secret: true },
  AWS_SESSION_TOKEN: {
    reads: text,
    default: '–',
    meaning: 'Session token, with temporary credentials.',
    secret: true,
  },
  AWS_REGION: {
    reads: z
      .string()
      .regex(/^[\w-]{1,40}$/, 'the name of a region, such as eu-central-1')
      .optional(),
    default: '– (the region of the profile, else `us-east-1`)',
    meaning: 'Region of the bucket; `auto` or any name where the service has no regions.',
    alias: 'AWS_DEFAULT_REGION',
  },
  AWS_ENDPOINT_URL_S3: {
    reads: calledAddress.transform((value) => value.replace(/\/+$/, '')).optional(),
    default: '– (AWS, in AWS_REGION)',
    meaning: 'URL of an S3-compatible service other than AWS. The bucket is then in the path, not in the host name.',
    alias: 'AWS_ENDPOINT_URL',
  },
  LOG_LEVEL: {
    reads: z
      .enum(
        ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
        'trace, debug, info, warn, error, fatal or silent',
      )
      .default('info'),
    default: 'info',
    meaning: 'Log level. The log is JSON lines, pretty on a terminal.',
  },
} as const satisfies Record<string, Setting>;
