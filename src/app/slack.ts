// Opens the Slack app, where it is configured: its direct messages, and where ANSWERS is on its buttons, to which one process at a time
// listens, and the edits of messages, for which one process follows the log.
import type { Config } from '#src/config/load.ts';
import type { Tail } from '#src/feed/tail.ts';
import { answerKey } from '#src/read/bookings/answer-link.ts';
import type { SlackBot } from '#workers/out/alerts/channels/slack.ts';
import type { MessageNeeds } from '#workers/out/alerts/message/message.ts';
import type { SendNeeds } from '#workers/out/alerts/outbox/send.ts';
import { answerRecorder, newKey } from './answers.ts';
import { startHandler } from './handlers.ts';
import { startJobs, takeoverLeaseMs, type JobNeeds } from './jobs.ts';
import { errorLogger } from './mirror.ts';

interface SlackNeeds extends JobNeeds {
  readonly config: Config;
  readonly tail: Tail;
  readonly clock: () => number;
}

type SlackApp = NonNullable<Config['alerts']['slackApp']>;
type Messages = MessageNeeds & Pick<SendNeeds, 'store' | 'rules'>;

export async function openSlackApp(needs: SlackNeeds, messages: Messages, app: SlackApp) {
  const { openSlackBot } = await import('#workers/out/slack/slack-bot.ts');
  const bot = openSlackBot(messages, app);
  const opened: { readonly bot: SlackBot; close(): Promise<void> } = { bot, close: async () => bot.close() };
  const { config, store, tail, clock, log } = needs;
  const answers = answerRecorder({ config, store, nowMs: clock });
  const { appToken } = app;
  if (answers === undefined || appToken === undefined) return opened;
  const { listenToButtons } = await import('#workers/out/slack/buttons.ts');
  const key = await answerKey(store, newKey);
  const buttons = { store, tail, clock, answers, key, bot, report: errorLogger(log, 'slack') };
  const listening = startJobs(
    needs,
    [
      {
        name: 'slack',
        everyMs: 1_000,
        run: async (signal) => void (await listenToButtons(buttons, { ...app, appToken }, signal)),
      },
    ],
    { leaseMs: takeoverLeaseMs },
  );
  const following = await startHandler(needs, {
    name: 'alerts:slack',
    events: ['invitee.*', 'invitee_no_show.*', 'attendance.*'],
    handle: async ({ subjectUri }) => (subjectUri === null ? undefined : bot.edit(subjectUri)),
  });
  const close = async () => {
    await Promise.all([listening.close(), following.close()]);
    bot.close();
  };
  return { ...opened, close };
}
