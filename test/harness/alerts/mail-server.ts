// A real mail server that stores what it receives and refuses what the test says.
import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { happened } from '../moments.ts';

export interface Mail {
  readonly from: string;
  readonly to: readonly string[];
  /** As it came over the wire. */
  readonly raw: string;
  /** Unfolded lines, in order. */
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly text: string;
  readonly html: string;
}

export async function openTestMailServer(options: SMTPServerOptions = {}) {
  const mails: Mail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo: ({ address }, _session, done) =>
      done(mailbox.unknown.has(address) ? refusal('550 5.1.1 <canary>') : null),
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        if (typeof mailbox.answer === 'string') return done(refusal(mailbox.answer));
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
        mails.push(read(Buffer.concat(chunks).toString(), { from, to: envelope.rcptTo.map(({ address }) => address) }));
        happened();
        if (mailbox.answer === undefined) done();
      });
    },
    ...options,
  });
  // A client that hangs up in the middle of a command is no error of this server.
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const { port } = server.server.address() as AddressInfo;
  const mailbox = {
    port,
    url: `${options.secure ? 'smtps' : 'smtp'}://127.0.0.1:${port}?from=alerts@slots.example.test`,
    mails,
    /** Of the next mails: undefined takes them; `450 4.2.1 …` refuses; null takes them and never answers. */
    answer: undefined as string | null | undefined,
    /** Recipients that are not known here. */
    unknown: new Set<string>(),
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
  return mailbox;
}

function refusal(words: string): Error {
  const [code = '', ...rest] = words.split(' ');
  return Object.assign(new Error(rest.join(' ')), { responseCode: Number(code) });
}

function read(raw: string, envelope: Pick<Mail, 'from' | 'to'>): Mail {
  const { headers, body } = partOf(raw);
  const boundary = /boundary="([^"]+)"/.exec(valueOf(headers, 'content-type'))?.[1] ?? '';
  const parts = body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => partOf(part.trimStart()));
  const textOf = (type: string) =>
    parts.filter((part) => valueOf(part.headers, 'content-type').startsWith(type)).map(decoded);
  const [[text = ''], [html = '']] = [textOf('text/plain'), textOf('text/html')];
  return { ...envelope, raw, headers, text, html };
}

function partOf(raw: string) {
  const end = raw.indexOf('\r\n\r\n');
  const lines = raw
    .slice(0, end)
    .replaceAll(/\r\n[ \t]/g, ' ')
    .split('\r\n');
  const headers = lines.map((line) => ({
    name: line.slice(0, line.indexOf(':')),
    value: line.slice(line.indexOf(':') + 1).trim(),
  }));
  return { headers, body: raw.slice(end + 4) };
}

const valueOf = (headers: Mail['headers'], wanted: string): string =>
  headers.find(({ name }) => name.toLowerCase() === wanted)?.value ?? '';

function decoded({ headers, body }: ReturnType<typeof partOf>): string {
  const encoding = valueOf(headers, 'content-transfer-encoding');
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString();
  if (encoding !== 'quoted-printable') return body;
  const bytes = body
    .replaceAll('=\r\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}
