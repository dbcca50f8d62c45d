// The picture of docs/answers.md: the evening report as a mail program shows it.
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { mailBody } from '#workers/out/alerts/channels/email.ts';
import { buildReport } from '#workers/out/alerts/message/digest.ts';
import { eveningReport, bookingContext } from '../test/harness/data/booking-context.ts';

const meetings = [
  { name: 'Ada Lovelace', email: 'ada@example.com', event: 'Introduction', at: '14:00', until: '15:00' },
  { name: 'Tim Berners', email: 'tim@example.com', event: 'Product demo', at: '16:00', until: '16:30' },
];

export async function takeAnswerPicture(browser: Browser, folder: string): Promise<void> {
  const message = await buildReport(
    {
      adminUrl: undefined,
      answerLink: () => ({ token: 'TOKEN', url: 'https://hooks.example.com/answers/TOKEN' }),
    },
    eveningReport(
      'picture',
      meetings.map(({ name, email, event, at, until }) =>
        bookingContext({
          invitee: { name, email },
          event: {
            name: event,
            start_time: `2026-11-16T${at}:00.000000Z`,
            end_time: `2026-11-16T${until}:00.000000Z`,
          },
          known: { zoneOf: () => 'Europe/Berlin' },
        }),
      ),
    ),
  );
  const context = await browser.newContext({ viewport: { width: 860, height: 300 } });
  const page = await context.newPage();
  await page.setContent(mailBody(message).html);
  await page.screenshot({ path: join(folder, 'answer-mail.png'), fullPage: true });
  await context.close();
}
