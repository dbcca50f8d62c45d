// A Slack app: direct messages to hosts, found by their e-mail address, and edited when an answer or a mark arrives. What the messages of an
// alert say is built from the mirror each time; the alert stores where they are.
import {
  WebAPIHTTPError,
  WebAPIPlatformError,
  WebAPIRateLimitedError,
  WebClient,
  type Logger,
  type LogLevel,
} from '@slack/web-api';
import { z } from 'zod';
import { reasonOf } from '#src/egress/http.ts';
import type { Store } from '#src/store/contract.ts';
import { alertsAbout, type Alert } from '#src/store/alerts/alert-rows.ts';
import { addPosted, alertOfMessage, postedOf } from '#src/store/alerts/posted-messages.ts';
import { readColumns } from '#src/store/rows.ts';
import { loadBookingContexts } from '#src/read/bookings/booking-context.ts';
import { hostsOf } from '#src/read/bookings/hosts.ts';
import type { SendResult } from '#workers/out/alerts/channels/channel.ts';
import { isRejection } from '#workers/out/alerts/channels/http-channel.ts';
import { slackBody, type SlackBot } from '#workers/out/alerts/channels/slack.ts';
import type { MessageHost, MessageNeeds } from '#workers/out/alerts/message/message.ts';
import { buildFor } from '#workers/out/alerts/outbox/send.ts';
import { decodeBookingFact } from '#workers/out/alerts/rules/fact.ts';
import type { AlertRule } from '#workers/out/alerts/rules/ruleset.ts';
import { openGuardedFetch, refusalIn, type GuardedFetch } from './guarded-fetch.ts';

interface BotNeeds extends MessageNeeds {
  readonly store: Store;
  readonly rules: ReadonlyMap<string, AlertRule>;
}

export interface SlackApp {
  readonly token: string;
  readonly appToken: string | undefined;
  readonly apiUrl: string;
  /** Whether it may be a private address, or one without encryption. */
  readonly allowPrivate: boolean;
}

export interface AnswerBot extends SlackBot {
  /** Edits the messages that ask about this invitee. Fails where Slack does not answer. */
  edit(invitee: string): Promise<void>;
  /** Says something that only this person sees. */
  reply(to: { readonly channel: string; readonly user: string }, text: string): Promise<void>;
  close(): void;
}

/** The packages of Slack log requests, which hold names: none of it is written. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the enumeration has no value for silence
const level = 'error' as LogLevel;
const none = (): void => {};
const logger: Logger = {
  debug: none,
  info: none,
  warn: none,
  error: none,
  setLevel: none,
  getLevel: () => level,
  setName: none,
};

/** The outbox retries, and keeps to the limits of a recipient. */
export const clientOptions = ({ apiUrl }: Pick<SlackApp, 'apiUrl'>, { fetch }: Pick<GuardedFetch, 'fetch'>) => ({
  slackApiUrl: apiUrl,
  fetch,
  logger,
  retryConfig: { retries: 0 },
  rejectRateLimitedCalls: true,
  timeout: 10_000,
});

const position = z.object({ channel: z.string(), ts: z.string() });

export function openSlackBot(needs: BotNeeds, app: SlackApp): AnswerBot {
  const { store } = needs;
  const guarded = openGuardedFetch(app);
  const web = new WebClient(app.token, clientOptions(app, guarded));
  const hasButtons = app.appToken !== undefined;

  async function userOf({ email, slackUser }: MessageHost): Promise<string | undefined> {
    if (slackUser !== undefined) return slackUser;
    const found = await web.users.lookupByEmail({ email }).catch((error: unknown) => {
      if (codeOf(error) === 'users_not_found') return undefined;
      throw error;
    });
    return found?.user?.id;
  }

  async function editAlert(alert: Alert): Promise<void> {
    for (const { channel, ts, invitees } of postedOf(alert)) {
      if (invitees.length === 0) continue;
      const body = await bodyNow(needs, alert, invitees);
      await web.apiCall('chat.update', { channel, ts, ...body }).catch((error: unknown) => {
        // It was deleted, or is too old to be edited.
        if (!(error instanceof WebAPIPlatformError) || isTemporary(error)) throw error;
      });
    }
  }

  return {
    async send(message, others) {
      const { id, hosts = [], kind, questions = [] } = message;
      if (hosts.length === 0) return others(message);
      try {
        const alert = await alertOfMessage(store, id);
        const posted = alert === undefined ? [] : postedOf(alert);
        // Who was asked sees the end of it in that message.
        const isEdit = kind === 'retraction' && posted.some(({ invitees }) => invitees.length > 0);
        if (alert && isEdit) await editAlert(alert);
        const unknown: MessageHost[] = [];
        for (const host of hosts) {
          const user = await userOf(host);
          if (user === undefined) unknown.push(host);
          else if (!posted.some((one) => (isEdit || one.message === id) && one.user === user)) {
            const body = slackBody({ ...message, hosts: [] }, hasButtons);
            const at = position.parse(await web.apiCall('chat.postMessage', { channel: user, ...body }));
            await addPosted(store, {
              message: id,
              user,
              ...at,
              invitees: hasButtons ? questions.map(({ invitee }) => invitee) : [],
            });
          }
        }
        return unknown.length === 0
          ? { ok: true, answer: 'direct message' }
          : await others({ ...message, hosts: unknown });
      } catch (error) {
        return failureOf(error);
      }
    },
    async edit(invitee) {
      for (const alert of await alertsAsking(store, invitee)) await editAlert(alert);
    },
    reply: async ({ channel, user }, text) => void (await web.chat.postEphemeral({ channel, user, text })),
    close: guarded.close,
  };
}

/** The alerts whose messages ask about this invitee. They are about the invitee, or about one of the hosts. */
export async function alertsAsking(store: Store, invitee: string): Promise<readonly Alert[]> {
  const [row] = await readColumns(store, 'invitees', { columns: ['event_uri'], key: 'uri', values: [invitee] });
  const values = row?.event_uri ? [row.event_uri] : [];
  const [event] = await readColumns(store, 'scheduled_events', { columns: ['hosts'], key: 'uri', values });
  const hosts = hostsOf({ event }).flatMap(({ uri }) => uri ?? []);
  const alerts = await alertsAbout(store, [invitee, ...hosts]);
  return alerts.filter((alert) => postedOf(alert).some(({ invitees }) => invitees.includes(invitee)));
}

/** What the message says now. Nothing of a person who was erased is in it. */
async function bodyNow(
  needs: BotNeeds,
  alert: Alert,
  invitees: readonly string[],
): Promise<Readonly<Record<string, unknown>>> {
  const rule = needs.rules.get(alert.rule);
  const contexts = await loadBookingContexts(needs.store, invitees);
  const fact = decodeBookingFact(alert.fact);
  const bookings = [...contexts.values()].map((context) => ({ context, fact }));
  const [first] = bookings;
  if (rule?.on !== 'booking' || first === undefined)
    return { text: 'There is nothing to answer any more.', blocks: [] };
  const about = rule.isReport ? { host: alert.subject_uri, name: undefined, bookings } : first;
  const message = await buildFor(needs, rule, {
    ...alert,
    state: 'sent',
    checked: { id: alert.id, about, isCurrent: true },
  });
  return slackBody(message, true);
}

const codeOf = (error: unknown): string | undefined =>
  error instanceof WebAPIPlatformError ? /^\w{1,60}$/.exec(error.data.error)?.[0] : undefined;

const isTemporary = (error: WebAPIPlatformError): boolean =>
  ['internal_error', 'fatal_error', 'service_unavailable', 'request_timeout', 'ratelimited'].includes(error.data.error);

export function failureOf(error: unknown): SendResult {
  const refusal = refusalIn(error);
  if (refusal !== undefined) return { ok: false, answer: reasonOf(refusal), retry: false };
  if (error instanceof WebAPIRateLimitedError)
    return { ok: false, answer: '429', retry: true, retryAfterMs: error.retryAfter * 1000, isLimited: true };
  if (error instanceof WebAPIPlatformError)
    return { ok: false, answer: codeOf(error) ?? 'refused', retry: isTemporary(error) };
  if (error instanceof WebAPIHTTPError)
    return { ok: false, answer: String(error.statusCode), retry: !isRejection(error.statusCode) };
  return { ok: false, answer: 'no answer of Slack', retry: true, outcomeUnknown: true };
}
