// Every alert channel there is, a web server and a mail server behind them, and messages to send.
import fc from 'fast-check';
import { createLog } from '#src/observability/log.ts';
import type { Channel, SendResult } from '#workers/out/alerts/channels/channel.ts';
import { openChannels, type ChannelSettings } from '#workers/out/alerts/channels/channels.ts';
import { buildReport } from '#workers/out/alerts/message/digest.ts';
import { buildMessage, type Message, type MessageInput } from '#workers/out/alerts/message/message.ts';
import { sanitizeLine, sanitizeLines } from '#workers/out/alerts/message/sanitize-text.ts';
import { anyText } from '../data/any-text.ts';
import { bookingContext, eveningReport } from '../data/booking-context.ts';
import { messageTexts } from '../data/hostile.ts';
import { openCallback } from '../sandbox/callback-server.ts';
import { openTestMailServer } from './mail-server.ts';

export const webhookSecret = `whsec_${Buffer.from('canary-secret-of-alerts').toString('base64')}`;
export const pagerdutyKey = 'canary0123456789canary0123456789';

export async function openChannelWorld({
  allowPrivate = true,
  settings = {},
}: { allowPrivate?: boolean; settings?: Partial<ChannelSettings> } = {}) {
  const stack = new AsyncDisposableStack();
  const web = stack.use(await openCallback());
  const mail = stack.use(await openTestMailServer());
  const lines: string[] = [];
  const log = createLog({
    level: 'info',
    pretty: false,
    destination: { write: (line: string) => void lines.push(line) },
  });
  const channels = await openChannels(
    {
      slackUrl: `${web.url}/T0/B0/canary`,
      teamsUrl: `${web.url}/canary?sig=canary`,
      discordUrl: `${web.url}/canary`,
      pagerdutyKey,
      pagerdutyUrl: web.url,
      ntfyUrl: `${web.url}/canary`,
      ntfyToken: 'tk_canary',
      webhookUrl: `${web.url}?key=canary`,
      webhookSecret,
      smtpUrl: mail.url,
      emailTo: ['ops@example.test', 'desk@example.test'],
      allowPrivate,
      installation: 'hooks.example.test',
      ...settings,
    },
    { log, clock: Date.now },
  );
  for (const channel of channels.values()) stack.defer(async () => channel.close?.());
  const send = (name: string, message: Message, signal = AbortSignal.any([])): Promise<SendResult> =>
    (channels.get(name) as Channel).send(message, signal);
  return { web, mail, lines, channels, send, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

const noShow: MessageInput = {
  id: 'a1b2c3',
  rule: { name: 'missed', title: 'No-show', about: 'An invitee did not show up.' },
  kind: 'alert',
  about: {
    context: bookingContext({ invitee: { reschedule_url: 'https://book.example.test/r/1?a=1&b=2' } }),
    fact: { kind: 'no_show', noShowUri: 'https://api.example.test/invitee_no_shows/N1' },
  },
  occurredAt: '2026-11-16T15:10:00.000000Z',
};
export const adminUrl = 'https://slots.example.test';
export const buildNoShow = (more: Partial<MessageInput> = {}): Promise<Message> =>
  buildMessage({ adminUrl }, { ...noShow, ...more });
export const noShowMessage = await buildNoShow();

export const answerToken = 'x'.repeat(120);

/** The evening report to a host, where ANSWERS is on. */
export const buildAskingReport = (names: readonly string[]): Promise<Message> =>
  buildReport(
    {
      adminUrl,
      answerLink: ({ host, since }) => ({
        token: answerToken,
        url: `https://hooks.example.test/answers/${host.slice(-2)}-${since.slice(0, 10)}-${answerToken}`,
      }),
    },
    eveningReport(
      'r1',
      names.map((name) => bookingContext({ invitee: { name } })),
    ),
  );

/** Characters and words that mean something in the markup of some channel. */
const markup = fc.string({
  unit: fc.constantFrom(
    ...'*_~`|>#[]()<:@-+.!{}\\/&"\'19 \na'.split(''),
    '@here',
    '<@1>',
    '](',
    'http://x.y',
    '{{DATE(',
    '<at>',
    '👩‍👩‍👧',
  ),
  maxLength: 3_000,
});
const hostile = fc.oneof(markup, anyText({ maxLength: 400 }), fc.constantFrom(...Object.values(messageTexts)));

interface HostileTexts {
  readonly name: string;
  readonly text: string;
  readonly values: readonly string[];
}

/** As `buildMessage` makes it: every text is sanitized and bounded, and otherwise anything. */
export const hostileMessage = ({ name, text, values }: HostileTexts): Message => ({
  ...noShowMessage,
  title: sanitizeLine(`No-show: ${name}`, 150),
  text: sanitizeLines(text, 2_000) || 'No text.',
  facts: values.slice(0, 9).map((value, index) => ({ label: `Fact ${index}`, value: sanitizeLine(value, 300) })),
});

export const hostileMessages: fc.Arbitrary<Message> = fc
  .record({ name: hostile, text: hostile, values: fc.array(hostile, { maxLength: 9 }) })
  .map(hostileMessage);
