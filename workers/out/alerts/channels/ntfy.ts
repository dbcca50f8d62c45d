// ntfy: push notifications to phones and desktops, from ntfy.sh or a server of one's own. Messages are plain text: Markdown is off by
// default.
import type { Message } from '#workers/out/alerts/message/message.ts';
import { truncate, wholeTexts } from '#workers/out/alerts/message/sanitize-text.ts';
import type { Channel } from './channel.ts';
import { openHttpChannel, type HttpChannelNeeds } from './http-channel.ts';

/** Above 4,096 bytes a message becomes an attached file; the request may have twice as many. */
const maxBytes = 3_000;
/** Links of answers leave so much to the text. */
const leastText = 900;
const priorities: Readonly<Record<Message['kind'], number>> = { alert: 4, digest: 3, retraction: 3, test: 3 };

export interface NtfyOptions {
  /** The topic's address; JSON is sent to the address above it. */
  readonly url: string;
  readonly token: string | undefined;
}

export function openNtfy(needs: HttpChannelNeeds, { url, token }: NtfyOptions): Channel {
  const { topic, server } = ntfyTopic(url);
  return openHttpChannel(needs, {
    name: 'ntfy',
    url: server,
    bodyOf: (message) => JSON.stringify({ topic, ...ntfyBody(message) }),
    headersOf: () => (token === undefined ? {} : { authorization: `Bearer ${token}` }),
  });
}

/** `https://ntfy.sh/topic` is the topic `topic` of the server `https://ntfy.sh/`; a slash at the end makes no difference. */
function ntfyTopic(url: string): { readonly topic: string; readonly server: string } {
  const { origin, pathname } = new URL(url);
  const parts = pathname.split('/').filter((part) => part !== '');
  return { topic: parts.at(-1) ?? '', server: [origin, ...parts.slice(0, -1), ''].join('/') };
}

function ntfyBody({ kind, title, text, facts, link }: Message): object {
  const lineOf = ({ label, value }: Message['facts'][number]): string => `${label}: ${value}`;
  const others = facts.filter(({ isAnswer }) => !isAnswer);
  const lines = [text, '', ...others.map(lineOf)].join('\n').trim();
  const answers = facts.filter(({ isAnswer }) => isAnswer).map((fact) => `\n${lineOf(fact)}`);
  const links = wholeTexts(answers, maxBytes - Math.min(Buffer.byteLength(lines), leastText), Buffer.byteLength);
  const room = maxBytes - Buffer.byteLength(links);
  // No character has more than three bytes per unit of its length.
  const longest = Buffer.byteLength(lines) > room ? Math.floor(room / 3) : room;
  return {
    title,
    message: truncate(lines, longest) + links,
    priority: priorities[kind],
    ...(link !== undefined && { click: link }),
  };
}
