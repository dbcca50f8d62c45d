import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openTeams } from '#workers/alerts/channels/teams.ts';
import { hostileMessages, noShowMessage, openChannelWorld } from '../../../harness/alerts/channel-sends.ts';
import { runs } from '../../../harness/runs.ts';

interface Card {
  readonly fallbackText: string;
  readonly body: readonly { readonly type: string; readonly inlines: readonly { type: string; text: string }[] }[];
}

const openWorld = () => openChannelWorld((needs, url) => openTeams(needs, { url }));
const cardIn = (body: { readonly attachments: readonly { readonly content: Card }[] }) => body.attachments[0]?.content;

describe('teams', () => {
  it('receives an adaptive card with title, text, facts and a link', async () => {
    await using world = await openWorld();
    expect(await world.send(noShowMessage)).toEqual({ ok: true, answer: '202' });
    const run = (text: string) => ({ type: 'TextRun', text });
    expect(world.web.received[0]?.body).toEqual({
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          contentUrl: null,
          content: {
            $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
            type: 'AdaptiveCard',
            version: '1.4',
            msteams: { width: 'Full' },
            fallbackText: 'No-show: Ada Lovelace',
            body: [
              {
                type: 'RichTextBlock',
                inlines: [{ ...run('No-show: Ada Lovelace'), weight: 'Bolder', size: 'Large' }],
              },
              { type: 'RichTextBlock', inlines: [run('Ada Lovelace did not show up for Introduction.')] },
              { type: 'RichTextBlock', inlines: [{ ...run('Who: '), weight: 'Bolder' }, run('Ada Lovelace')] },
              { type: 'RichTextBlock', inlines: [{ ...run('Host: '), weight: 'Bolder' }, run('Grace Hopper')] },
            ],
            actions: [
              { type: 'Action.OpenUrl', title: 'Reschedule', url: 'https://book.example.test/r/1' },
              { type: 'Action.OpenUrl', title: 'Open Slotstream', url: 'https://slots.example.test/' },
            ],
          },
        },
      ],
    });
  });

  it('shows hostile text only in text runs without expressions and mentions, below the size limit', async () => {
    await using world = await openWorld();
    await fc.assert(
      fc.asyncProperty(hostileMessages, async (message) => {
        expect(await world.send(message)).toMatchObject({ ok: true });
        const { raw, body } = world.web.received.pop() ?? { raw: Buffer.alloc(0), body: {} };
        expect(raw.length).toBeLessThan(28_000);
        const card = cardIn(body);
        expect(new Set(card?.body.map(({ type }) => type))).toEqual(new Set(['RichTextBlock']));
        const runsOfText = card?.body.flatMap(({ inlines }) => inlines) ?? [];
        for (const { type, text } of [...runsOfText, { type: 'TextRun', text: card?.fallbackText ?? '' }]) {
          expect(type).toBe('TextRun');
          expect(text).not.toBe('');
          expect(text).not.toMatch(/\{\{|<\/?at/i);
        }
      }),
      runs(200),
    );
  });
});
