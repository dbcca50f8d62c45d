// An alert as a mail: text, and the same as HTML in which every value is escaped and keeps its own direction. Pure.
import type { Message } from '#workers/alerts/message/message.ts';

export interface MailBody {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export function mailBody({ title, text, facts, link }: Message): MailBody {
  const shownLink = link !== undefined && /^https?:\/\//.test(link) ? link : undefined;
  const table = facts.map(
    ({ label, value }) => `<tr><th align="left">${escaped(label)}</th><td><bdi>${escaped(value)}</bdi></td></tr>`,
  );
  const paragraphs = text.split('\n').map((line) => `<bdi>${escaped(line)}</bdi>`);
  return {
    // A name that looks like an encoded word would be decoded by whoever reads the mail.
    subject: title.replaceAll('=?', '=\u2060?'),
    text: [
      title,
      '',
      text,
      '',
      ...facts.map(({ label, value }) => `${label}: ${value}`),
      ...(shownLink === undefined ? [] : ['', shownLink]),
      '',
    ].join('\n'),
    html: [
      '<!doctype html><html><head><meta charset="utf-8"></head><body style="font-family:sans-serif">',
      `<h2><bdi>${escaped(title)}</bdi></h2>`,
      `<p>${paragraphs.join('<br>')}</p>`,
      ...(table.length > 0 ? [`<table cellpadding="4">${table.join('')}</table>`] : []),
      ...(shownLink === undefined ? [] : [`<p><a href="${escaped(shownLink)}">Open the dashboard</a></p>`]),
      '</body></html>',
    ].join('\n'),
  };
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '');
