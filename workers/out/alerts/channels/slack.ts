// Slack's incoming webhooks and compatible services (Mattermost, Rocket.Chat): blocks, and a plain text for clients that do not show
// blocks. What people wrote is only ever put into plain_text, which has no markup.
import type { Channel, SendResult } from './channel.ts';
import { openHttpChannel, type HttpChannelNeeds } from './http-channel.ts';
import { linkText, type Message } from '#workers/out/alerts/message/message.ts';
import type { Question } from '#workers/out/alerts/message/question.ts';
import { truncate } from '#workers/out/alerts/message/sanitize-text.ts';

// Slack rejects the whole message when one of these is exceeded.
const limits = { header: 150, section: 3_000, field: 2_000, fields: 10, sections: 5, text: 4_000 } as const;

/** A Slack app, which reaches the hosts themselves (`workers/out/slack`). */
export interface SlackBot {
  /** Sends what is for hosts to them; `others` sends what is for no host that Slack knows. */
  send(message: Message, others: (message: Message) => Promise<SendResult>): Promise<SendResult>;
}

export function openSlack(
  needs: HttpChannelNeeds & { readonly slackBot?: SlackBot | undefined },
  { url }: { readonly url: string },
): Channel {
  const webhook = openWebhook(needs, url);
  const { slackBot: bot } = needs;
  if (bot === undefined) return webhook;
  return { ...webhook, send: (message, signal) => bot.send(message, (one) => webhook.send(one, signal)) };
}

const openWebhook = (needs: HttpChannelNeeds, url: string): Channel =>
  openHttpChannel(needs, {
    name: 'slack',
    url,
    bodyOf: (message) => JSON.stringify(slackBody(message)),
    shownBody: (text) => slackCodes.find((code) => code === text),
  });

/** `hasButtons`: it asks by buttons, which Slack sends to the app that posted them, instead of by links. */
export function slackBody(
  { title, text, facts, link, hosts = [], questions = [] }: Message,
  hasButtons = false,
): Readonly<Record<string, unknown>> {
  const shown = hasButtons ? facts.filter(({ isAnswer }) => isAnswer !== true) : facts;
  const fields = shown.slice(0, limits.fields * limits.sections).map(({ label, value, isLink }) =>
    // A cut link would be broken markup.
    isLink && value.length < limits.field / 2
      ? { type: 'mrkdwn', text: linked(value, escaped(defused(label.replaceAll(/[*_~`]/g, '')))) }
      : plain(`${label}: ${value}`, limits.field),
  );
  // An incoming webhook posts into its own channel: a mention is what reaches a person. The ids are from the rules file.
  const mentions = hosts.flatMap(({ slackUser: user }) => (user === undefined ? [] : [`<@${user}>`])).join(' ');
  return {
    text: truncate(inert([title, text, ...(link === undefined ? [] : [address(link)])].join('\n')), limits.text),
    // Nothing in `text` is markup, a mention or a preview. Compatible services show it instead of the blocks, and may not know these fields.
    mrkdwn: false,
    parse: 'none',
    link_names: false,
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      { type: 'header', text: plain(title, limits.header) },
      { type: 'section', text: plain(text, limits.section) },
      ...(mentions === '' ? [] : [{ type: 'section', text: { type: 'mrkdwn', text: mentions } }]),
      ...chunksOf(fields, limits.fields).map((some) => ({ type: 'section', fields: some })),
      ...(hasButtons ? questions.flatMap(questionBlocks) : []),
      ...(link === undefined
        ? []
        : [{ type: 'context', elements: [{ type: 'mrkdwn', text: linked(link, linkText(link)) }] }]),
    ],
  };
}

/** Who it is about, and what can be answered instead of what stands. */
function questionBlocks({ who, token, answer: current }: Question): readonly object[] {
  const state = { came: ': they came', no_show: ': a no-show', none: '' }[current];
  const choices = current === 'none' ? (['came', 'no_show'] as const) : (['none'] as const);
  return [
    { type: 'section', text: plain(`${who}${state}`, limits.field) },
    {
      type: 'actions',
      elements: choices.map((answer) => ({
        type: 'button',
        action_id: answer,
        text: plain({ came: 'They came', no_show: 'No-show', none: 'Undo' }[answer], limits.field),
        value: token,
      })),
    },
  ];
}

const chunksOf = <Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));

/** Slack rejects empty text as well. */
function plain(value: string, longest: number): object {
  return { type: 'plain_text', text: truncate(defused(value), longest) || '–', emoji: false };
}

/** The text for every service: each has its own rule for which characters round an `@` make a mention. */
const inert = (text: string): string => escaped(broken(text, /@/g));

/** The text of a block. Slack finds no mention in it, so a mail address stays as it is and can be copied. */
const defused = (text: string): string => broken(text, /(?<![a-z0-9])@|@(?![a-z0-9])/gi);

/** An invisible word joiner breaks mentions and Markdown links, to which compatible services react. */
const broken = (text: string, mention: RegExp): string =>
  text.replaceAll(mention, '@\u2060').replaceAll('](', ']\u2060(');

/** Slack's three special characters; nothing else begins markup that leaves the text (`<!here>`, `<http…|…>`). */
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** The only markup, around URLs of ours and of the service; a button would need an endpoint that answers its click. */
const linked = (link: string, label: string): string => `<${escaped(address(link)).replaceAll('|', '%7C')}|${label}>`;

/** In a path, `%40` leads to the same place, and is no mention. */
const address = (link: string): string => link.replaceAll('@', '%40');

// Slack's own error codes. No other body is shown.
const slackCodes = [
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
