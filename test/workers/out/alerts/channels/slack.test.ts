// What people wrote mentions no one in services that take Slack's webhooks, also where they find mentions by rules of their own.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { slackBody } from '#workers/out/alerts/channels/slack.ts';
import type { Message } from '#workers/out/alerts/message/message.ts';
import { buildNoShow, hostileMessages, noShowMessage } from '../../../../harness/alerts/channel-sends.ts';
import { bookingContext } from '../../../../harness/data/booking-context.ts';
import { runs } from '../../../../harness/runs.ts';

/**
 * The mentions of everybody that Mattermost finds in a text. It splits at everything that cannot be part of a mention, removes `:.-_` from the
 * start of a word, then from its end, and otherwise splits the word at `.`, `-` and `:`.
 */
function mentionsIn(text: string): readonly string[] {
  const everybody = (word: string): boolean => ['@all', '@channel', '@here'].includes(word.toLowerCase());
  return text
    .split(/[^:.\-_@\p{L}\p{N}]+/u)
    .map((word) => word.replace(/^[:.\-_]+/, ''))
    .flatMap((word) => [word.replace(/[:.\-_]+$/, ''), ...word.split(/[.\-:]+/)])
    .filter(everybody);
}

const textsOf = (message: Message): readonly string[] => {
  const { text, blocks } = slackBody(message) as { text: string; blocks: object[] };
  return [text, ...JSON.stringify(blocks).split('"')];
};

describe('a text for Slack or a compatible service', () => {
  it.each(['-@channel', 'x.@all', '_@here_', '+@channel', 'a-@all', '@channel', 'x:@here'])(
    'mentions no one in Mattermost where a guest is called %s (N1)',
    async (name) => {
      expect(mentionsIn(`No-show: ${name}`).length).toBeGreaterThan(0);
      const fact = { kind: 'no_show', noShowUri: 'https://api.example.test/invitee_no_shows/N1' } as const;
      const message = await buildNoShow({ about: { context: bookingContext({ invitee: { name } }), fact } });
      expect(message.title).toContain(name);
      expect(textsOf(message).flatMap(mentionsIn)).toEqual([]);
    },
  );

  it('has a word joiner behind every @ of the text, and mentions no one, whatever it is about (N1)', () => {
    fc.assert(
      fc.property(hostileMessages, (message) => {
        expect(textsOf(message).flatMap(mentionsIn)).toEqual([]);
        expect(textsOf(message)[0]).not.toMatch(/@(?!\u2060|…)./);
      }),
      {
        ...runs(200),
        examples: [[{ ...noShowMessage, text: 'ada@example.test @**all** @\u00e9 @' }]],
      },
    );
  });

  it('keeps mail addresses in blocks and links as they are, so that they can be copied and opened', () => {
    const facts = [
      { label: 'E-mail', value: 'ada@example.test' },
      { label: 'Reschedule', value: 'https://book.example.test/@ada/r|1', isLink: true as const },
    ];
    const { blocks } = slackBody({ ...noShowMessage, facts });
    expect(JSON.stringify(blocks)).toContain('E-mail: ada@example.test"');
    expect(JSON.stringify(blocks)).toContain('<https://book.example.test/%40ada/r%7C1|Reschedule>');
  });
});
