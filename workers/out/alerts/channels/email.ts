// E-mail over SMTP. We open the connection ourselves, so that the address of the mail server is checked like every other address.
import type { Socket } from 'node:net';
import nodemailer from 'nodemailer';
import { propertyOf } from '#schemas/wire.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import { readMailServer } from '#src/egress/smtp-url.ts';
import { AddressRefusal, reasonOf, type HttpSender } from '#src/egress/http.ts';
import { linkText, type Message } from '#workers/out/alerts/message/message.ts';
import type { Channel, SendResult } from './channel.ts';

export interface EmailNeeds {
  readonly outgoing: HttpSender;
}

export interface EmailOptions {
  readonly url: string;
  readonly to: readonly string[];
  /** On a private network messages and the password may be sent to a server without TLS; on the internet never. */
  readonly allowPrivate: boolean;
}

const timeoutMs = 15_000;

export function openEmail({ outgoing }: EmailNeeds, { url, to, allowPrivate }: EmailOptions): Channel {
  const server = readMailServer(url);
  if (typeof server === 'string') throw new SlotstreamError('config', `ALERT_SMTP_URL must be ${server}`);
  const { host, port, isSecure, login, from } = server;
  const domain = from.slice(from.lastIndexOf('@') + 1);
  // The same at every attempt, so that a repetition is recognized. Other characters could break the header.
  const messageIdOf = (id: string) => `<${id.replaceAll(/[^\w-]/g, '-')}@${domain}>`;
  const options = {
    host,
    port,
    secure: isSecure,
    requireTLS: !allowPrivate,
    ...(login && { auth: login }),
    disableFileAccess: true,
    disableUrlAccess: true,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
  };
  return {
    name: 'email',
    target: host,
    async send(message, signal) {
      // The configured addresses are for what has no host, and for hosts without an address.
      const recipients = message.hosts?.length ? message.hosts.map(({ email }) => email) : [...to];
      let connection: Socket | undefined;
      const stop = () => connection?.destroy();
      signal.addEventListener('abort', stop, { once: true });
      try {
        connection = await outgoing.connect({ host, port, timeoutMs });
        signal.throwIfAborted();
        const transport = nodemailer.createTransport({ ...options, connection });
        const { rejected, response } = await transport.sendMail({
          from: { name: 'Slotstream', address: from },
          to: recipients,
          messageId: messageIdOf(message.id),
          ...(message.follows !== undefined && {
            inReplyTo: messageIdOf(message.follows),
            references: messageIdOf(message.follows),
          }),
          // Suppresses out-of-office replies.
          headers: { 'Auto-Submitted': 'auto-generated', 'X-Slotstream-Rule': message.rule },
          ...mailBody(message),
        });
        // Not retried for the rejected addresses: the others have the message already.
        const note = rejected.length > 0 ? `, ${rejected.length} of ${recipients.length} addresses refused` : '';
        return { ok: true, answer: `${codesIn(response)}${note}` };
      } catch (error) {
        return failed(error, { signal, isConnected: connection !== undefined });
      } finally {
        signal.removeEventListener('abort', stop);
        stop();
      }
    },
  };
}

/** The server's text may quote addresses: only its codes are shown (`550 5.1.1`). */
function codesIn(response: string): string {
  return /^\d{3}([ -]\d\.\d{1,3}\.\d{1,3}\b)?/.exec(response)?.[0].replace('-', ' ') ?? 'no answer';
}

/** The mailer has one error code for everything that happens to a socket. */
const isCertificateError = (error: unknown): boolean =>
  error instanceof Error && /certificate|altnames/i.test(error.message);

/** It refused STARTTLS. */
const withoutTls = 'it offers no encryption (STARTTLS, ALERT_ALLOW_PRIVATE)';

function failed(
  error: unknown,
  { signal, isConnected }: { readonly signal: AbortSignal; readonly isConnected: boolean },
): SendResult {
  if (error instanceof AddressRefusal) return { ok: false, answer: reasonOf(error), retry: false };
  if (isCertificateError(error)) return { ok: false, answer: 'its certificate is not valid', retry: true };
  const [response, responseCode] = [propertyOf(error, 'response'), propertyOf(error, 'responseCode')];
  if (typeof response !== 'string' || typeof responseCode !== 'number')
    return { ok: false, answer: reasonOf(error, signal), retry: true, ...(isConnected && { outcomeUnknown: true }) };
  // 4xx is temporary; 5xx is final.
  if (responseCode >= 500 && propertyOf(error, 'code') === 'ETLS')
    return { ok: false, answer: withoutTls, retry: false };
  return { ok: false, answer: codesIn(response), retry: responseCode < 500 };
}

interface MailBody {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Text, and the same as HTML in which every value is escaped and keeps its own direction. */
export function mailBody({ title, text, facts, link }: Message): MailBody {
  const shownLink = link !== undefined && /^https?:\/\//.test(link) ? link : undefined;
  const table = facts.map(({ label, value, isLink, isAnswer }) => {
    if (isAnswer) return `<tr><td colspan="2"><a href="${escaped(value)}"><bdi>${escaped(label)}</bdi></a></td></tr>`;
    const shown = isLink ? `<a href="${escaped(value)}">${escaped(value)}</a>` : `<bdi>${escaped(value)}</bdi>`;
    return `<tr><th align="left">${escaped(label)}</th><td>${shown}</td></tr>`;
  });
  const paragraphs = text.split('\n').map((line) => `<bdi>${escaped(line)}</bdi>`);
  return {
    // Mail clients would decode a name that looks like an encoded word.
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
      ...(shownLink === undefined ? [] : [`<p><a href="${escaped(shownLink)}">${linkText(shownLink)}</a></p>`]),
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
