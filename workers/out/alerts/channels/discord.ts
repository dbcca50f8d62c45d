// A webhook of Discord: one message as text, because embeds can be switched off by the reader. Mentions are off for the whole message.
import type { Message } from '#workers/out/alerts/message/message.ts';
import { truncate, wholeTexts } from '#workers/out/alerts/message/sanitize-text.ts';
import type { Channel } from './channel.ts';
import { openHttpChannel, type HttpChannelNeeds } from './http-channel.ts';

const maxLength = 2_000;
/** Links of answers leave so much to the text. */
const leastText = 600;
/** Shows no previews of links. */
const suppressEmbeds = 4;

export const openDiscord = (needs: HttpChannelNeeds, { url }: { readonly url: string }): Channel =>
  openHttpChannel(needs, { name: 'discord', url, bodyOf: (message) => JSON.stringify(discordBody(message)) });

function discordBody({ title, text, facts, link }: Message): object {
  const head = `**${escaped(title)}**\n`;
  const foot = link === undefined ? '' : `\n<${link}>`;
  // A link with backslashes leads nowhere.
  const lineOf = ({ label, value, isLink }: Message['facts'][number]): string =>
    isLink ? `${escaped(label)}: <${value}>` : escaped(`${label}: ${value}`);
  const room = maxLength - head.length - foot.length;
  const others = facts.filter(({ isAnswer }) => !isAnswer);
  const lines = [escaped(text), ...others.map(lineOf)].join('\n');
  const answers = facts.filter(({ isAnswer }) => isAnswer).map((fact) => `\n${lineOf(fact)}`);
  const links = wholeTexts(answers, room - Math.min(lines.length, leastText));
  return {
    username: 'Slotstream',
    content: `${head}${truncate(lines, room - links.length)}${links}${foot}`,
    allowed_mentions: { parse: [] },
    flags: suppressEmbeds,
  };
}

/**
 * A backslash before every character that can begin Markdown, a mention, an emoji or a link. A hyphen, a plus sign and a number begin a list
 * only at the start of a line.
 */
function escaped(text: string): string {
  return text.replaceAll(/[\\*_~`|>#[\]()<:@]/g, '\\$&').replaceAll(/^(\s*)(?:([-+])|(\d+)\.)/gm, startOfLine);
}

const startOfLine = (_all: string, space: string, sign: string | undefined, number: string | undefined): string =>
  sign === undefined ? `${space}${number}\\.` : `${space}\\${sign}`;
