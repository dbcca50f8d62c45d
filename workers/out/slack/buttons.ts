// The buttons of direct messages in Slack: they arrive over Socket Mode, a connection that we open, so that no public address is needed. A
// button answers for one meeting, if it is in a message that was posted to the person who presses it.
import { SocketModeClient } from '@slack/socket-mode';
import { z } from 'zod';
import { SlotstreamError } from '#src/base/errors.ts';
import { meetingOf, type AnswerPageNeeds } from '#src/api/answer-page.ts';
import { createAudit, type Audit } from '#src/api/audit.ts';
import { isAnswer } from '#src/api/bookings/answer-texts.ts';
import { giveHostAnswer } from '#src/api/bookings/answers.ts';
import { answersInMinute, createRequestLimit, type RequestLimit } from '#src/api/request-limit.ts';
import { HttpError } from '#src/http/http-error.ts';
import { readAnswerToken } from '#src/read/bookings/answer-link.ts';
import { postedOf } from '#src/store/alerts/posted-messages.ts';
import { openGuardedFetch } from './guarded-fetch.ts';
import { alertsAsking, clientOptions, type AnswerBot, type SlackApp } from './slack-bot.ts';

export interface ButtonNeeds extends AnswerPageNeeds {
  readonly bot: Pick<AnswerBot, 'edit' | 'reply'>;
  /** For tests. */
  readonly openFetch?: typeof openGuardedFetch;
}

/** Listens until `signal` aborts. Slack ends each connection after some hours: another one follows at once. Fails where there is none. */
export async function listenToButtons(
  needs: ButtonNeeds,
  { appToken, ...app }: Pick<SlackApp, 'apiUrl' | 'allowPrivate'> & { readonly appToken: string },
  signal: AbortSignal,
): Promise<void> {
  const limited = { ...needs, limit: createRequestLimit(needs.clock, answersInMinute), audit: createAudit(needs, []) };
  const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  while (!signal.aborted) {
    const guarded = (needs.openFetch ?? openGuardedFetch)(app);
    const { logger, ...options } = clientOptions(app, guarded);
    // A reconnection of its own that fails would be an unhandled rejection.
    const client = new SocketModeClient({
      appToken,
      logger,
      autoReconnectEnabled: false,
      clientOptions: options,
      dispatcher: guarded.dispatcher,
    });
    const ended = new Promise<void>((resolve) => client.once('disconnected', () => resolve()));
    client.on('interactive', async ({ ack, body }: { ack: () => Promise<void>; body: unknown }) => {
      await ack().catch(needs.report);
      await press(limited, body).catch(needs.report);
    });
    const started = client.start().catch(() => {
      throw new SlotstreamError('service_unavailable', 'Slack does not open a connection for buttons.', {
        hint: 'Check ALERT_SLACK_APP_TOKEN: it needs the scope connections:write, and Socket Mode must be on. The addresses of Slack must be public and have encryption, unless ALERT_ALLOW_PRIVATE is on.',
      });
    });
    try {
      await Promise.race([started, stopped]);
      await Promise.race([ended, stopped]);
    } finally {
      started.catch(() => {});
      void client.disconnect();
      // The second call does not wait for Slack to close its side.
      void client.disconnect();
      guarded.close();
    }
  }
}

const pressed = z.object({
  type: z.literal('block_actions'),
  user: z.object({ id: z.string() }),
  container: z.object({ channel_id: z.string(), message_ts: z.string() }),
  actions: z.tuple([z.object({ action_id: z.string(), value: z.string() })], z.unknown()),
});

interface PressNeeds extends ButtonNeeds {
  readonly limit: RequestLimit;
  readonly audit: Audit;
}

async function press(needs: PressNeeds, body: unknown): Promise<void> {
  const { data } = pressed.safeParse(body);
  if (data === undefined) return;
  const { user, container, actions } = data;
  const { action_id: answer, value } = actions[0];
  const claim = readAnswerToken(needs.key, value, needs.clock());
  const to = { channel: container.channel_id, user: user.id };
  try {
    const meeting = claim && (await meetingOf(needs, claim));
    const isOwn = meeting && (await isPostedTo(needs, meeting.invitee, { ...to, ts: container.message_ts }));
    if (!isOwn || !isAnswer(answer)) return await needs.bot.reply(to, 'This cannot be answered any more.');
    if (!needs.limit.admits(value)) return await needs.bot.reply(to, 'Too many answers. Try again in a minute.');
    const { invitee, answer: current } = meeting;
    const caller = { who: 'slack button', address: user.id } as const;
    await giveHostAnswer(needs, caller, { invitee, current, answer });
    // The entry of the answer leads to another attempt.
    await needs.bot.edit(invitee).catch(needs.report);
  } catch (error) {
    if (!(error instanceof HttpError)) needs.report(error);
    await needs.bot.reply(to, 'The answer was not recorded. Try again later.');
  }
}

async function isPostedTo(
  { store }: ButtonNeeds,
  invitee: string,
  at: { readonly channel: string; readonly ts: string; readonly user: string },
): Promise<boolean> {
  const posted = (await alertsAsking(store, invitee)).flatMap(postedOf);
  return posted.some(
    ({ channel, ts, user, invitees }) =>
      channel === at.channel && ts === at.ts && user === at.user && invitees.includes(invitee),
  );
}
