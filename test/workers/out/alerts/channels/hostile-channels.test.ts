// Whatever a stranger writes, a message does nothing in any channel but show it, within the limits of the channel.
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { buildDigest } from '#workers/out/alerts/message/digest.ts';
import {
  adminUrl,
  hostileMessage,
  hostileMessages,
  openChannelWorld,
  pagerdutyKey,
  webhookSecret,
} from '../../../../harness/alerts/channel-sends.ts';
import type { Mail } from '../../../../harness/alerts/mail-server.ts';
import { messageTexts } from '../../../../harness/data/hostile.ts';
import { runs } from '../../../../harness/runs.ts';
import { openedOnce } from '../../../../harness/opened.ts';
import type { Received } from '../../../../harness/sandbox/callback-server.ts';

const world = openedOnce(openChannelWorld);

const bookingLink = `${adminUrl}/bookings/I1`;

interface Block {
  readonly type: string;
  readonly text?: { readonly type: string; readonly text: string };
  readonly fields?: readonly { readonly type: string; readonly text: string }[];
}
interface Card {
  readonly fallbackText: string;
  readonly body: readonly { readonly type: string; readonly inlines: readonly { type: string; text: string }[] }[];
}

/** Line ends are ours. */
const obeyed = /[\u0000-\u0009\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;
const ownLink = /^<https:\/\/slots\.example\.test\/(?:bookings\/[\w%.-]+)?\|Open (?:the booking|Slotstream)>$/;
const knownTags = new Set('!doctype html head meta body h2 bdi p br table tr th td a'.split(' '));
const everyHeader = 'Auto-Submitted Content-Type Date From MIME-Version Message-ID Subject To X-Slotstream-Rule'.split(
  ' ',
);

function expectInertMail({ headers, html, text, raw, from, to }: Mail): void {
  expect(headers.map((header) => header.name).toSorted()).toEqual(everyHeader);
  expect(headers.find((header) => header.name === 'Subject')?.value).not.toMatch(/=\?utf-8\?(Q\?=0D|B\?PGI)/);
  expect([from, ...to]).toEqual(['alerts@slots.example.test', 'ops@example.test', 'desk@example.test']);
  expect(raw.length).toBeLessThan(60_000);
  expect(raw.split('\r\n').every((line) => line.length <= 998)).toBe(true);
  const tags = [...html.matchAll(/<\/?([^\s>]+)/g)].map(([, tag]) => tag);
  expect(tags.filter((tag) => !knownTags.has(tag ?? ''))).toEqual([]);
  expect([...html.matchAll(/href="([^"]*)"/g)].map(([, href]) => href)).toEqual([
    expect.stringMatching(/^https:\/\/slots\.example\.test\/(?:bookings\/[\w%.-]+)?$/),
  ]);
  expect(html).not.toMatch(/<[^>]*\son\w+=/);
  expect(text).not.toMatch(obeyed);
  expect(html).not.toMatch(obeyed);
}

/** What must be true of everything that a channel sends about a booking with any texts. */
const isInert: Readonly<Record<string, (sent: Received) => void>> = {
  discord({ body: { content, allowed_mentions: mentions } }) {
    expect(content.length).toBeLessThanOrEqual(2_000);
    expect(mentions).toEqual({ parse: [] });
    const [head = '', ...lines] = (content as string)
      .replace(/\n<https:\/\/slots\.example\.test\/[^>]*>$/, '')
      .split('\n');
    for (const line of [head.replace(/^\*\*(.*)\*\*$/, '$1'), ...lines]) {
      // With escaped characters replaced nothing is left that could begin markup.
      const bare = line.replaceAll(/\\[^\p{L}\p{N}\s]/gu, 'x');
      expect(bare).not.toMatch(/[*_~`|>#[\]()<:@]|^\s*[-+]|^\s*\d+\./);
    }
  },
  ntfy({ raw, body }) {
    // Markdown is never on, and a longer one would become a file.
    expect(raw.length).toBeLessThan(8_192);
    expect(Buffer.byteLength(body.message)).toBeLessThanOrEqual(4_096);
    expect(Object.keys(body).toSorted()).toEqual(['click', 'message', 'priority', 'title', 'topic']);
    expect(body.click).toBe(bookingLink);
  },
  pagerduty({ raw, body }) {
    // PagerDuty's limit is 512 kB.
    expect(raw.length).toBeLessThan(64_000);
    expect(body).toMatchObject({ routing_key: pagerdutyKey, event_action: 'trigger', dedup_key: 'a1b2c3' });
    expect(body.payload.summary.length).toBeLessThanOrEqual(1_024);
    expect(body.links).toEqual([{ href: bookingLink, text: 'Open the booking' }]);
  },
  slack({ raw, body }) {
    expect(raw.length).toBeLessThan(30_000);
    const shown = JSON.stringify(body);
    expect(shown).not.toMatch(/@(here|channel|everyone|all)\b/);
    expect(shown).not.toContain('](');
    expect(body.text).not.toMatch(/[<>]/);
    expect(body.text.length).toBeLessThanOrEqual(4_000);
    const marked = body.blocks.flatMap(({ elements }: { elements?: object[] }) => elements ?? []);
    expect(marked).toEqual([{ type: 'mrkdwn', text: expect.stringMatching(ownLink) }]);
    for (const { type, text, fields = [] } of body.blocks as Block[])
      for (const one of [...(text === undefined ? [] : [text]), ...fields]) {
        expect(one.type).toBe('plain_text');
        expect(one.text.length).toBeLessThanOrEqual(type === 'header' ? 150 : text === undefined ? 2_000 : 3_000);
        expect(one.text.isWellFormed()).toBe(true);
        expect(one.text).not.toMatch(obeyed);
      }
  },
  webhook({ raw, headers }) {
    expect(raw.length).toBeLessThan(30_000);
    const data = new Webhook(webhookSecret).verify(raw.toString(), headers as Record<string, string>);
    expect(data).toMatchObject({ data: { rule: 'missed' } });
  },
  teams({ raw, body }) {
    expect(raw.length).toBeLessThan(28_000);
    const card = body.attachments[0].content as Card;
    expect(new Set(card.body.map(({ type }) => type))).toEqual(new Set(['RichTextBlock']));
    const inlines = card.body.flatMap((block) => block.inlines);
    for (const { type, text } of [...inlines, { type: 'TextRun', text: card.fallbackText }]) {
      expect(type).toBe('TextRun');
      expect(text).not.toBe('');
      expect(text).not.toMatch(/\{\{|<\/?at/i);
    }
  },
};

const texts = Object.values(messageTexts);
/** A message of each text, and one of all of them. */
const known = [
  ...texts.map((text) => hostileMessage({ name: text, text, values: [text] })),
  hostileMessage({ name: '', text: texts.join('\n'), values: texts }),
];

describe('a message of any texts', () => {
  it.each([...Object.keys(isInert), 'email'])('is inert in %s', async (channel) => {
    const rule = { name: 'missed', title: 'No-show', about: 'An invitee did not show up.' };
    await fc.assert(
      fc.asyncProperty(hostileMessages, async (message) => {
        const digest = buildDigest({ adminUrl }, { id: 'd1', rule, messages: [message, message] });
        for (const one of ['slack', 'webhook', 'email'].includes(channel) ? [message, digest] : [message]) {
          expect(await world.send(channel, one)).toMatchObject({ ok: true });
          for (const sent of world.web.received.splice(0)) isInert[channel]?.(sent);
          for (const mail of world.mail.mails.splice(0)) expectInertMail(mail);
        }
      }),
      { ...runs(40), examples: known.map((message) => [message]) },
    );
  });
});
