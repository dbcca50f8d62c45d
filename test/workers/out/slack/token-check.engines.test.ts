// `doctor` and `alerts test` ask Slack about the tokens of the app.
import { describe, expect, it } from 'vitest';
import { openSlackServer } from '../../../harness/alerts/slack-server.ts';
import { openHome } from '../../../harness/product.ts';
import { openCallback } from '../../../harness/sandbox/callback-server.ts';

/** What `doctor` and `alerts test` say about Slack. */
async function said({ granted = undefined as number | undefined, wrong = {} }) {
  await using slack = await openSlackServer({});
  await using web = await openCallback();
  slack.granted.splice(granted ?? slack.granted.length);
  await using home = await openHome({
    ALERT_SLACK_URL: web.url,
    ALERT_SLACK_TOKEN: slack.app.token,
    ALERT_SLACK_APP_TOKEN: slack.app.appToken,
    ALERT_SLACK_API_URL: slack.app.apiUrl,
    ALERT_ALLOW_PRIVATE: 'true',
    ADMIN_URL: 'https://mirror.example.test',
    ...wrong,
  });
  const texts = [];
  for (const verb of [['doctor'], ['alerts', 'test']]) {
    const { out, err } = await home.run(verb);
    const lines = (out + err).split('\n').filter((line) => /[!✗].*ALERT_SLACK/.test(line));
    texts.push(lines.map((line) => line.replace(/^.*?(?=ALERT|The bot)/, '')));
  }
  return { texts, calls: slack.calls };
}

describe('the tokens of a Slack app', () => {
  it('are not mentioned while Slack accepts them', async () => {
    const asked = ['auth.test', 'apps.connections.open'];
    expect(await said({})).toEqual({ texts: [[], []], calls: [...asked, ...asked] });
  });

  const isRefused = (name: string) => `${name} cannot be used: invalid_auth.`;
  const gone = 'ALERT_SLACK_TOKEN cannot be used: no answer of Slack.';
  it.each([
    {
      why: 'that Slack refuses',
      wrong: { ALERT_SLACK_TOKEN: 'xoxb-old', ALERT_SLACK_APP_TOKEN: 'xapp-old' },
      lines: ['ALERT_SLACK_TOKEN', 'ALERT_SLACK_APP_TOKEN'].map(isRefused),
    },
    {
      why: 'whose bot lacks scopes',
      granted: 1,
      lines: ['The bot of ALERT_SLACK_TOKEN lacks scopes: users:read, users:read.email.'],
    },
    {
      why: 'whose address is private, or without encryption (N6)',
      wrong: { ALERT_ALLOW_PRIVATE: 'false' },
      lines: ['ALERT_SLACK_TOKEN', 'ALERT_SLACK_APP_TOKEN'].map(
        (name) => `${name} cannot be used: it is an address without encryption (ALERT_ALLOW_PRIVATE).`,
      ),
    },
    { why: 'while Slack does not answer', wrong: { ALERT_SLACK_API_URL: 'http://127.0.0.1:9/api/' }, lines: [gone] },
  ])('are named without their values $why', async ({ lines, ...world }) => {
    const { texts } = await said(world);
    for (const text of texts) expect(text.slice(0, lines.length)).toEqual(lines);
  });
});
