// The recipients of alerts: a Slack-like endpoint, an endpoint for signed webhooks and a mail server, all in this process.
import { Webhook } from 'standardwebhooks';
import { openCallback, type Received } from '../sandbox/callback-server.ts';
import { openTestMailServer } from './mail-server.ts';

const secret = `whsec_${Buffer.from('a secret of the alert tests, long').toString('base64')}`;

/** The idempotency key; throws when the signature is wrong. */
export function keyOf({ raw, headers }: Received): string {
  new Webhook(secret).verify(raw.toString(), headers as Record<string, string>);
  return String(headers['webhook-id']);
}

export const keysOf = (received: readonly Received[]): string[] => [...new Set(received.map(keyOf))];
export const dataOf = ({ body }: Received) =>
  (body as { data: { rule: string; title: string; text: string; facts: object[]; subject_uris: string[] } }).data;
export const typeOf = ({ body }: Received): string => (body as { type: string }).type;
export const titleOf = (received: Received): string => dataOf(received).title;
export const textOf = ({ body }: Received): string => (body as { text: string }).text;

export async function openAlertReceivers() {
  await using opened = new AsyncDisposableStack();
  const slack = opened.use(await openCallback());
  const webhook = opened.use(await openCallback());
  const mailbox = opened.use(await openTestMailServer());
  const resources = opened.move();
  return {
    slack,
    webhook,
    mailbox,
    /** They send everything here without a grace period. */
    settings: {
      ALERT_SLACK_URL: slack.url,
      ALERT_WEBHOOK_URL: webhook.url,
      ALERT_WEBHOOK_SECRET: secret,
      ALERT_SMTP_URL: mailbox.url,
      ALERT_EMAIL_TO: 'desk@example.test',
      ALERT_ALLOW_PRIVATE: 'true',
      ALERT_GRACE: '0',
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
