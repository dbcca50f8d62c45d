// Settings that are right alone and wrong together: one sentence for each conflict.
import { isPostgres } from '#src/base/database-schema.ts';
import { postgresProblem } from '#src/base/postgres-url.ts';
import type { SettingValues } from './variables.ts';

export function conflictsIn(values: Partial<SettingValues>): readonly string[] {
  const { PORT } = values;
  const problems: string[] = [];
  if ((values.OAUTH_CLIENT_ID === undefined) !== (values.OAUTH_CLIENT_SECRET === undefined))
    problems.push('OAUTH_CLIENT_ID and OAUTH_CLIENT_SECRET belong together: set both or none');
  if ((values.FEED_PUSH_URL === undefined) !== (values.FEED_PUSH_SECRET === undefined))
    problems.push('FEED_PUSH_URL and FEED_PUSH_SECRET belong together: set both or none');
  if ((values.ALERT_WEBHOOK_URL === undefined) !== (values.ALERT_WEBHOOK_SECRET === undefined))
    problems.push('ALERT_WEBHOOK_URL and ALERT_WEBHOOK_SECRET belong together: set both or none');
  if ((values.ALERT_SMTP_URL === undefined) !== (values.ALERT_EMAIL_TO === undefined))
    problems.push('ALERT_SMTP_URL and ALERT_EMAIL_TO belong together: set both or none');
  if (values.ALERT_NTFY_TOKEN !== undefined && values.ALERT_NTFY_URL === undefined)
    problems.push('ALERT_NTFY_TOKEN needs ALERT_NTFY_URL: set it, or remove the token');
  if (values.ALERT_SLACK_TOKEN !== undefined && values.ALERT_SLACK_URL === undefined)
    problems.push('ALERT_SLACK_TOKEN needs ALERT_SLACK_URL: what is not for a host that Slack knows is sent there');
  if (values.ALERT_SLACK_APP_TOKEN !== undefined && values.ALERT_SLACK_TOKEN === undefined)
    problems.push('ALERT_SLACK_APP_TOKEN needs ALERT_SLACK_TOKEN: set it, or remove the app-level token');
  if (values.DISK_LOG === 'every' && !isRedis(values.QUEUE_URL))
    problems.push('DISK_LOG=every needs a Redis queue (QUEUE_URL); the other queues do not lose what they accepted');
  if (values.DATABASE_SCHEMA !== undefined && ![values.DATABASE_URL, values.QUEUE_URL].some((url) => isPostgres(url)))
    problems.push('DATABASE_SCHEMA needs PostgreSQL (DATABASE_URL): set its address, or remove the schema');
  if (values.DATABASE_READ_URL !== undefined && !isPostgres(values.DATABASE_URL))
    problems.push('DATABASE_READ_URL needs PostgreSQL (DATABASE_URL): it is a standby of its server');
  for (const name of ['DATABASE_URL', 'DATABASE_READ_URL', 'QUEUE_URL'] as const) {
    const problem = postgresProblem(name, values[name]);
    if (problem !== undefined) problems.push(problem);
  }
  if (values.ADMIN_READ_TOKEN !== undefined && values.ADMIN_READ_TOKEN === values.ADMIN_TOKEN)
    problems.push('ADMIN_READ_TOKEN must differ from ADMIN_TOKEN: it is for callers that may only read');
  const tokens = [values.ADMIN_TOKEN, values.ADMIN_READ_TOKEN];
  if (values.MCP_TOKEN !== undefined && tokens.includes(values.MCP_TOKEN))
    problems.push('MCP_TOKEN must differ from ADMIN_TOKEN and ADMIN_READ_TOKEN: it opens only MCP');
  if (values.METRICS_TOKEN !== undefined && [...tokens, values.MCP_TOKEN].includes(values.METRICS_TOKEN))
    problems.push('METRICS_TOKEN must differ from ADMIN_TOKEN, ADMIN_READ_TOKEN and MCP_TOKEN: it opens only /metrics');
  if (PORT !== undefined && PORT !== 0 && PORT === adminPortOf(values))
    problems.push('PORT and ADMIN_PORT must differ');
  return problems;
}

export const isRedis = (queueUrl: string | undefined): boolean => /^redis/i.test(queueUrl ?? '');

export const adminPortOf = ({ ADMIN_PORT }: Partial<SettingValues>): number => ADMIN_PORT ?? 8081;
