// Mail over SMTP. The connection is made by us, so that the mail server's address is checked like every other.
import type { Socket } from 'node:net';
import nodemailer from 'nodemailer';
import { SlotstreamError } from '#src/base/errors.ts';
import { readMailServer } from '#src/egress/smtp-url.ts';
import { AddressRefused, reasonOf, type Outgoing } from '#src/egress/http.ts';
import type { Channel, Sent } from './channel.ts';
import { mailBody } from './mail-body.ts';

export interface EmailNeeds {
  readonly outgoing: Outgoing;
}

export interface EmailOptions {
  readonly url: string;
  readonly to: readonly string[];
  /** On a network of one's own a server without TLS may get the password; on the internet never. */
  readonly allowPrivate: boolean;
}

const timeoutMs = 15_000;

export function openEmail({ outgoing }: EmailNeeds, { url, to, allowPrivate }: EmailOptions): Channel {
  const server = readMailServer(url);
  if (typeof server === 'string') throw new SlotstreamError('config', `ALERT_SMTP_URL must be ${server}`);
  const { host, port, isSecure, login, from } = server;
  const domain = from.slice(from.lastIndexOf('@') + 1);
  // The same for every attempt, so that a repeat is recognised; ids are ours, but a header has no room for surprises.
  const messageIdOf = (id: string) => `<${id.replaceAll(/[^\w-]/g, '-')}@${domain}>`;
  const options = {
    host,
    port,
    secure: isSecure,
    requireTLS: login !== undefined && !allowPrivate,
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
      let connection: Socket | undefined;
      const stop = () => connection?.destroy();
      signal.addEventListener('abort', stop, { once: true });
      try {
        connection = await outgoing.connect({ host, port, timeoutMs });
        signal.throwIfAborted();
        const transport = nodemailer.createTransport({ ...options, connection });
        const { rejected, response } = await transport.sendMail({
          from: { name: 'Slotstream', address: from },
          to: [...to],
          messageId: messageIdOf(message.id),
          ...(message.follows !== undefined && {
            inReplyTo: messageIdOf(message.follows),
            references: messageIdOf(message.follows),
          }),
          // No out-of-office notice comes back.
          headers: { 'Auto-Submitted': 'auto-generated', 'X-Slotstream-Rule': message.rule },
          ...mailBody(message),
        });
        // Those that took it have it: sending again would only be noise for them.
        const left = rejected.length > 0 ? `, ${rejected.length} of ${to.length} addresses refused` : '';
        return { ok: true, answer: `${codesIn(response)}${left}` };
      } catch (error) {
        return failed(error, { signal, isConnected: connection !== undefined });
      } finally {
        signal.removeEventListener('abort', stop);
        stop();
      }
    },
  };
}

/** A server's words quote addresses: its codes say enough (`550 5.1.1`). */
function codesIn(response: string): string {
  return /^\d{3}([ -]\d\.\d{1,3}\.\d{1,3}\b)?/.exec(response)?.[0].replace('-', ' ') ?? 'no answer';
}

/** The mailer calls everything that happens to a socket by one name. */
const isMistrust = (error: unknown): boolean => error instanceof Error && /certificate|altnames/i.test(error.message);

function failed(
  error: unknown,
  { signal, isConnected }: { readonly signal: AbortSignal; readonly isConnected: boolean },
): Sent {
  if (error instanceof AddressRefused) return { ok: false, answer: reasonOf(error), retry: false };
  const { response, responseCode } = error as { readonly response?: unknown; readonly responseCode?: unknown };
  if (isMistrust(error)) return { ok: false, answer: 'its certificate does not hold', retry: true };
  if (typeof response !== 'string' || typeof responseCode !== 'number')
    return { ok: false, answer: reasonOf(error, signal), retry: true, ...(isConnected && { unsure: true }) };
  // 4xx passes by itself; 5xx is an answer for good.
  return { ok: false, answer: codesIn(response), retry: responseCode < 500 };
}
