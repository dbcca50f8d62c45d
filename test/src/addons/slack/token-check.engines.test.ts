// `doctor` and `alerts test` ask Slack about the tokens of the app.
import { describe, expect, it } from 'vitest';
import { openSlackServer } from '../../../harness/alerts/slack-server.ts';
import { openHome } from '../../../harness/product.ts';
import { openCallback } from '../../../harness/sandbox/callback-server.ts';

async function openWorld(wrong: Readonly<Record<string, string>> = {}) {
  await using stack = new AsyncDisposableStack();
  const slack = stack.use(await openSlackServer({}));
  const web = stack.use(await openCallback());
  const settings = {
    ALERT_SLACK_URL: web.url,
    ALERT_SLACK_TOKEN: slack.app.token,
    ALERT_SLACK_APP_TOKEN: slack.app.appToken,
    ALERT_SLACK_API_URL: slack.app.apiUrl,
    ALERT_ALLOW_PRIVATE: 'true',
    ADMIN_URL: 'https://mirror.example.test',
  };
  const home = stack.use(await openHome({ ...settings, ...wrong }));
  const running = stack.move();
  return {
    slack,
    /** What each of the two commands says about Slack. */
    async said() {
      const texts = [];
      for (const verb of [['doctor'], ['alerts', 'test']]) {
        const { out, err } = await home.run(verb);
        texts.push((out + err).split('\n').filter((line) => /[!✗].*ALERT_SLACK/.test(line)));
      }
      return texts.map((lines) => lines.map((line) => line.replace(/^.*?(?=ALERT|The bot)/, '')));
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

describe('the tokens of a Slack app', () => {
  it('are not mentioned while Slack accepts them', async () => {
    await using world = await openWorld();
    expect(await world.said()).toEqual([[], []]);
    expect(world.slack.calls).toEqual(['auth.test', 'apps.connections.open', 'auth.test', 'apps.connections.open']);
  });

  it('are named, each with the answer of Slack and without its value, where it refuses them', async () => {
    await using world = await openWorld({ ALERT_SLACK_TOKEN: 'xoxb-old', ALERT_SLACK_APP_TOKEN: 'xapp-old' });
    const lines = [
      'ALERT_SLACK_TOKEN cannot be used: invalid_auth.',
      'ALERT_SLACK_APP_TOKEN cannot be used: invalid_auth.',
    ];
    expect(await world.said()).toEqual([lines, lines]);
  });

  it('are named with the scopes that the bot lacks, and while Slack does not answer', async () => {
    await using world = await openWorld();
    world.slack.granted.splice(1);
    const line = 'The bot of ALERT_SLACK_TOKEN lacks scopes: users:read, users:read.email.';
    expect(await world.said()).toEqual([[line], [line]]);
    await using away = await openWorld({ ALERT_SLACK_API_URL: 'http://127.0.0.1:9/api/' });
    const [lines] = await away.said();
    expect(lines?.[0]).toBe('ALERT_SLACK_TOKEN cannot be used: no answer of Slack.');
  });
});
