// Asks Slack about the tokens of the app before an alert needs them: whether they can be used, and whether the bot has its scopes.
import { WebClient } from '@slack/web-api';
import { openGuardedFetch } from './guarded-fetch.ts';
import { clientOptions, failureOf, type SlackApp } from './slack-bot.ts';

interface Warning {
  readonly message: string;
  readonly fix: string;
}

export async function slackTokenWarnings({ token, appToken, ...app }: SlackApp): Promise<readonly Warning[]> {
  const guarded = openGuardedFetch(app);
  const options = clientOptions(app, guarded);
  const { auth } = new WebClient(token, options);
  const bot = await auth
    .test()
    .then(({ response_metadata: more }) => missingScopes(more?.scopes), unusable('ALERT_SLACK_TOKEN'));
  const { apps } = new WebClient(appToken, options);
  const ofApp = appToken && (await apps.connections.open({}).then(() => undefined, unusable('ALERT_SLACK_APP_TOKEN')));
  guarded.close();
  return [bot, ofApp].flatMap((warning) => warning || []);
}

const unusable =
  (name: string) =>
  (error: unknown): Warning => ({
    message: `${name} cannot be used: ${failureOf(error).answer}.`,
    fix: `Check ${name}; docs/alerts.md says how to create it.`,
  });

/** Slack names those of the bot in a header; without it, nothing is known. */
function missingScopes(granted: readonly string[] | undefined): Warning | undefined {
  const missing = ['chat:write', 'users:read', 'users:read.email'].filter(
    (scope) => granted?.includes(scope) === false,
  );
  if (missing.length === 0) return undefined;
  return {
    message: `The bot of ALERT_SLACK_TOKEN lacks scopes: ${missing.join(', ')}.`,
    fix: 'Add them to the Slack app, install it again, and set ALERT_SLACK_TOKEN to its token.',
  };
}
