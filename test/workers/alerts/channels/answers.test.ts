// The evening report in every channel where ANSWERS is on: two whole links for each meeting, whatever the invitee is called.
import { expect, it } from 'vitest';
import { mailBody } from '#workers/alerts/channels/email.ts';
import { slackBody } from '#workers/alerts/channels/slack.ts';
import { buildReport } from '#workers/alerts/message/digest.ts';
import type { AnswerLink } from '#workers/alerts/message/message.ts';
import { adminUrl, openChannelWorld } from '../../../harness/alerts/channel-sends.ts';
import { bookingContext } from '../../../harness/data/booking-context.ts';
import { expectGolden } from '../../../harness/golden.ts';

const token = 'x'.repeat(120);
const answerLink: AnswerLink = ({ host, since }) =>
  `https://hooks.example.test/answers/${host.slice(-2)}-${since.slice(0, 10)}-${token}`;
const evening = '2026-11-16T17:00:00.000000Z';

const reportOf = (names: readonly string[]) =>
  buildReport(
    { adminUrl, answerLink },
    {
      id: 'r1',
      rule: {
        name: 'asks',
        title: 'Unconfirmed meetings',
        about: 'Did they come?',
        page: '/bookings?attendance=unconfirmed',
      },
      occurredAt: evening,
      about: {
        host: 'https://api.example.test/users/U1',
        name: 'Grace Hopper',
        bookings: names.map((name) => ({
          context: bookingContext({ invitee: { name } }),
          fact: { kind: 'unconfirmed', evening },
        })),
      },
    },
  );

it('the report asks with two whole links for each meeting, in every channel', async () => {
  await using world = await openChannelWorld();
  const names = ['Ada <Lovelace>', '*Bob* @here', ...Array.from({ length: 10 }, (_, n) => `Person ${n}`)];
  const message = await reportOf(names);
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

it('Slack and e-mail show them so', async () => {
  const message = await reportOf(['Ada <Lovelace>', '*Bob* @here']);
  const shown = JSON.stringify({ slack: slackBody(message), email: mailBody(message) }, null, 2);
  await expectGolden(shown.replaceAll(token, 'TOKEN'), 'answers.golden.txt');
});
