// Slack's incoming webhooks, and whoever understands the same (Mattermost, Rocket.Chat): blocks, and a plain text for those that do
// not show blocks. Values stand in plain_text only, where no markup is obeyed.
import type { Outgoing } from '#src/egress/http.ts';
import type { Channel } from './channel.ts';
import { isRefusal, sentAs } from './classify-response.ts';
import type { Message } from '#workers/alerts/message/message.ts';
import { cutAt } from '#workers/alerts/message/sanitize-text.ts';

export interface SlackNeeds {
  readonly outgoing: Outgoing;
  readonly clock: () => number;
}

const timeoutMs = 10_000;
// Slack refuses the whole message when one of these is passed.
const limits = { header: 150, section: 3_000, field: 2_000, fields: 10, text: 4_000 } as const;

export function openSlack({ outgoing, clock }: SlackNeeds, { url }: { readonly url: string }): Channel {
  return {
    name: 'slack',
    target: new URL(url).host,
    async send(message, signal) {
      const body = JSON.stringify(slackBody(message));
      const headers = { 'content-type': 'application/json; charset=utf-8' };
      const answer = await outgoing.post(url, { headers, body, timeoutMs, signal });
      return sentAs({
        answer,
        nowMs: clock(),
        told: (text) => words.find((word) => word === text),
        isFinal: isRefusal,
      });
    },
    close: async () => outgoing.close(),
  };
}

export function slackBody({ title, text, facts, link }: Message): object {
  const fields = facts.slice(0, limits.fields).map(({ label, value }) => plain(`${label}: ${value}`, limits.field));
  return {
    text: cutAt(escaped([title, text, ...(link === undefined ? [] : [link])].join('\n')), limits.text),
    // Of what stands in `text`, nothing is markup, a mention or a preview.
    mrkdwn: false,
    parse: 'none',
    link_names: false,
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      { type: 'header', text: plain(title, limits.header) },
      { type: 'section', text: plain(text, limits.section) },
      ...(fields.length > 0 ? [{ type: 'section', fields }] : []),
      ...(link === undefined ? [] : [{ type: 'context', elements: [{ type: 'mrkdwn', text: linked(link) }] }]),
    ],
  };
}

/** Empty text is refused as well. */
function plain(value: string, longest: number): object {
  return { type: 'plain_text', text: cutAt(parted(value), longest) || '–', emoji: false };
}

/** Slack's three characters; nothing else begins markup that reaches out of the text (`<!here>`, `<http…|…>`). */
function escaped(text: string): string {
  return parted(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Compatible services call everybody at a plain `@here`, and know Markdown's links: an invisible joiner stands in between. */
function parted(text: string): string {
  return text.replaceAll(/(?<![\w.+-])@(?=\w)/g, '@\u2060').replaceAll('](', ']\u2060(');
}

/** The only markup there is, around an address of ours; a button would want somebody to answer its click. */
const linked = (link: string): string => `<${escaped(link).replaceAll('|', '%7C')}|Open the dashboard>`;

// What Slack says of itself. Any other body is not repeated.
const words = [
  'ok',
  'invalid_payload',
  'invalid_blocks',
  'invalid_token',
  'no_text',
  'no_service',
  'no_service_id',
  'no_team',
  'team_disabled',
  'user_not_found',
  'channel_not_found',
  'channel_is_archived',
  'action_prohibited',
  'posting_to_general_channel_denied',
  'rate_limited',
];
