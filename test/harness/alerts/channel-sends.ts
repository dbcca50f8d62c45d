// Sends messages over one channel to a real web server, and messages whose every text is hostile.
import fc from 'fast-check';
import { createOutgoing } from '#src/egress/http.ts';
import type { Channel, SendResult } from '#workers/alerts/channels/channel.ts';
import type { HttpChannelNeeds } from '#workers/alerts/channels/http-channel.ts';
import type { Message } from '#workers/alerts/message/message.ts';
import { sanitizeLine, sanitizeLines } from '#workers/alerts/message/sanitize-text.ts';
import { messageTexts } from '../data/hostile.ts';
import { openCallback, type Callback } from '../sandbox/callback-server.ts';

export interface ChannelWorld extends AsyncDisposable {
  readonly web: Callback;
  send(message: Message): Promise<SendResult>;
}

export async function openChannelWorld(
  open: (needs: HttpChannelNeeds, webUrl: string) => Channel,
): Promise<ChannelWorld> {
  const web = await openCallback();
  const channel = open({ outgoing: createOutgoing({}, { allowPrivate: true }), clock: Date.now }, web.url);
  return {
    web,
    send: (message) => channel.send(message, AbortSignal.timeout(10_000)),
    async [Symbol.asyncDispose]() {
      await channel.close?.();
      await web[Symbol.asyncDispose]();
    },
  };
}

export const noShowMessage: Message = {
  id: 'a1b2c3',
  rule: 'missed',
  follows: undefined,
  kind: 'alert',
  title: 'No-show: Ada Lovelace',
  text: 'Ada Lovelace did not show up for Introduction.',
  facts: [
    { label: 'Who', value: 'Ada Lovelace' },
    { label: 'Host', value: 'Grace Hopper' },
    { label: 'Reschedule', value: 'https://book.example.test/r/1', isLink: true },
  ],
  link: 'https://slots.example.test/',
  occurredAt: '2026-11-16T15:10:00.000000Z',
  subjects: ['https://api.example.test/scheduled_events/E1/invitees/I1'],
};

export const retractionMessage: Message = {
  ...noShowMessage,
  id: 'a1b2c3-retraction',
  kind: 'retraction',
  follows: 'a1b2c3',
  title: 'No-show alert retracted: Ada Lovelace',
};

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
const hostile = fc.oneof(
  markup,
  fc.string({ unit: 'binary', maxLength: 400 }),
  fc.constantFrom(...Object.values(messageTexts)),
);

/** Messages as `buildMessage` makes them: every text is sanitized and bounded, and otherwise anything. */
export const hostileMessages: fc.Arbitrary<Message> = fc
  .record({ name: hostile, text: hostile, values: fc.array(hostile, { maxLength: 9 }) })
  .map(({ name, text, values }) => ({
    ...noShowMessage,
    title: sanitizeLine(`No-show: ${name}`, 150),
    text: sanitizeLines(text, 2_000) || 'No text.',
    facts: values.map((value, index) => ({ label: `Fact ${index}`, value: sanitizeLine(value, 300) })),
  }));
