import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openDiscord } from '#workers/alerts/channels/discord.ts';
import { hostileMessages, noShowMessage, openChannelWorld } from '../../../harness/alerts/channel-sends.ts';
import { runs } from '../../../harness/runs.ts';

const openWorld = () => openChannelWorld((needs, url) => openDiscord(needs, { url }));

describe('discord', () => {
  it('receives title, text, facts and a link as text, without mentions and previews', async () => {
    await using world = await openWorld();
    world.web.answer = 204;
    expect(await world.send(noShowMessage)).toEqual({ ok: true, answer: '204' });
    expect(world.web.received[0]?.body).toEqual({
      username: 'Slotstream',
      content: [
        String.raw`**No-show\: Ada Lovelace**`,
        'Ada Lovelace did not show up for Introduction.',
        String.raw`Who\: Ada Lovelace`,
        String.raw`Host\: Grace Hopper`,
        'Reschedule: <https://book.example.test/r/1>',
        '<https://slots.example.test/>',
      ].join('\n'),
      allowed_mentions: { parse: [] },
      flags: 4,
    });
  });

  it('escapes Markdown, mentions, emoji, lists and links', async () => {
    await using world = await openWorld();
    const text = '[x](https://evil.example.test) <@1> @here :no: **b** ||s||\n# big\n- one\n+ two\n12. three\n> quote';
    await world.send({ ...noShowMessage, text, facts: [], link: undefined });
    expect(world.web.received[0]?.body.content.split('\n').slice(1)).toEqual([
      String.raw`\[x\]\(https\://evil.example.test\) \<\@1\> \@here \:no\: \*\*b\*\* \|\|s\|\|`,
      String.raw`\# big`,
      String.raw`\- one`,
      String.raw`\+ two`,
      String.raw`12\. three`,
      String.raw`\> quote`,
    ]);
  });

  it('leaves no markup of hostile text unescaped, within 2,000 characters', async () => {
    await using world = await openWorld();
    await fc.assert(
      fc.asyncProperty(hostileMessages, async (message) => {
        expect(await world.send(message)).toMatchObject({ ok: true });
        const { content, allowed_mentions: mentions } = world.web.received.pop()?.body ?? {};
        expect(content.length).toBeLessThanOrEqual(2_000);
        expect(mentions).toEqual({ parse: [] });
        const [head = '', ...lines] = (content as string)
          .replace(/\n<https:\/\/slots\.example\.test\/>$/, '')
          .split('\n');
        for (const line of [head.replace(/^\*\*(.*)\*\*$/, '$1'), ...lines]) {
          // With escaped characters replaced nothing is left that could begin markup.
          const bare = line.replaceAll(/\\[^\p{L}\p{N}\s]/gu, 'x');
          expect(bare).not.toMatch(/[*_~`|>#[\]()<:@]|^\s*[-+]|^\s*\d+\./);
        }
      }),
      runs(200),
    );
  });
});
