// Microsoft Teams: a webhook of the Workflows app ("Send webhook alerts to a channel"), which posts an adaptive card. What people wrote is
// only ever put into text runs, which have no Markdown.
import { linkText, type Message } from '#workers/out/alerts/message/message.ts';
import { truncate } from '#workers/out/alerts/message/sanitize-text.ts';
import type { Channel } from './channel.ts';
import { openHttpChannel, type HttpChannelNeeds } from './http-channel.ts';

// Teams rejects messages above 28 kB.
const limits = { title: 150, text: 3_000, facts: 10, fact: 400 } as const;

export const openTeams = (needs: HttpChannelNeeds, { url }: { readonly url: string }): Channel =>
  openHttpChannel(needs, { name: 'teams', url, bodyOf: (message) => JSON.stringify(teamsBody(message)) });

function teamsBody({ title, text, facts, link }: Message): object {
  const links = facts
    .filter(({ isLink, isAnswer }) => isLink && !isAnswer)
    .map(({ label, value }) => ({ label, url: value }));
  if (link !== undefined) links.push({ label: linkText(link), url: link });
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    msteams: { width: 'Full' },
    // Shown by clients that do not show cards, and read aloud.
    fallbackText: inert(title, limits.title),
    body: [
      paragraph({ ...run(title, limits.title), weight: 'Bolder', size: 'Large' }),
      ...text.split('\n').map((line) => paragraph(run(line, limits.text))),
      ...facts
        .filter(({ isLink }) => !isLink)
        .slice(0, limits.facts)
        .map(({ label, value }) =>
          paragraph({ ...run(`${label}: `, limits.fact), weight: 'Bolder' }, run(value, limits.fact)),
        ),
      // Teams shows few actions of a card.
      ...facts
        .filter(({ isAnswer }) => isAnswer)
        .map(({ label, value: url }) =>
          paragraph({ ...run(label, limits.fact), selectAction: { type: 'Action.OpenUrl', url } }),
        ),
    ],
    actions: links.map(({ label, url }) => ({ type: 'Action.OpenUrl', title: label, url })),
  };
  return {
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }],
  };
}

const paragraph = (...inlines: readonly object[]): object => ({ type: 'RichTextBlock', inlines });

const run = (text: string, longest: number) => ({ type: 'TextRun', text: inert(text, longest) || '–' });

/** An invisible word joiner breaks `{{DATE(…)}}`, the only expression of a text run, and `<at>`, which begins a mention. */
function inert(text: string, longest: number): string {
  return truncate(text.replaceAll(/\{(?=\{)|<(?=\/?at)/gi, '$&\u2060'), longest);
}
