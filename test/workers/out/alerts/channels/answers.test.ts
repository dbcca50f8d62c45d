// The evening report where ANSWERS is on: two whole links for each meeting in every channel, whatever the invitee is called; buttons in a
// direct message of Slack. What the channels send is in their golden files.
import { expect, it } from 'vitest';
import { mailBody } from '#workers/out/alerts/channels/email.ts';
import { slackBody } from '#workers/out/alerts/channels/slack.ts';
import { buildAskingReport, openChannelWorld } from '../../../../harness/alerts/channel-sends.ts';
import { expectGolden, yamlOf } from '../../../../harness/golden.ts';

it('the report asks with two whole links for each meeting, in every channel', async () => {
  await using world = await openChannelWorld();
  const names = ['Ada <Lovelace>', '*Bob* @here', ...Array.from({ length: 10 }, (_, n) => `Person ${n}`)];
  const message = await buildAskingReport(names);
  expect(message.facts).toHaveLength(2 * names.length);
  for (const name of ['slack', 'teams', 'discord', 'pagerduty', 'ntfy', 'webhook', 'email'])
    expect(await world.send(name, message)).toMatchObject({ ok: true });
  const bodies = [...world.web.received.map(({ body }) => JSON.stringify(body)), mailBody(message).html];
  for (const body of bodies) {
    const links = body.match(/https:\/\/hooks\.example\.test\/answers\/[^"|>\\]*/g) ?? [];
    expect(links.length).toBeGreaterThanOrEqual(4);
    for (const link of links) expect(link).toMatch(/^[^?]*x{120}\?answer=(came|no_show)$/);
  }
});

it('a direct message has buttons instead of links, and shows what was answered', async () => {
  const { questions = [], ...message } = await buildAskingReport(['Ada <Lovelace>', '*Bob* @here', 'Tim']);
  const answers = ['none', 'came', 'no_show'] as const;
  const answered = questions.map((question, at) => ({ ...question, answer: answers[at] ?? 'none' }));
  const body = slackBody({ ...message, questions: answered }, true);
  expect(JSON.stringify(body)).not.toContain('hooks.example.test');
  await expectGolden(yamlOf(body).replaceAll(/x{120}/g, 'TOKEN'), 'direct-message.golden.txt');
});
