// Slack as far as an app needs it: its Web API over HTTP, and Socket Mode over a WebSocket. It answers as the documents of Slack say.
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { happened } from '../moments.ts';
import { openServer } from '../ports.ts';

export interface SlackMessage {
  readonly channel: string;
  readonly ts: string;
  text: string;
  blocks: readonly Readonly<Record<string, unknown>>[];
  edits: number;
}

export type SlackButton = Readonly<Record<'action_id' | 'value', string>>;

export const slackTokens = { token: 'xoxb-canary-bot', appToken: 'xapp-canary-app' };

export async function openSlackServer(users: Readonly<Record<string, string>>) {
  const messages: SlackMessage[] = [];
  const replies: { readonly user: string; readonly text: string }[] = [];
  const calls: string[] = [];
  const sockets = new Set<Duplex>();
  const acknowledged: string[] = [];
  const refusals: { readonly method: string; readonly status: number; readonly body: object }[] = [];
  const granted = ['chat:write', 'users:read', 'users:read.email'];
  let connections = 0;

  const methods: Readonly<Record<string, (form: URLSearchParams) => object>> = {
    'users.lookupByEmail'(form) {
      const id = users[form.get('email') ?? ''];
      return id === undefined ? { ok: false, error: 'users_not_found' } : { ok: true, user: { id } };
    },
    'chat.postMessage'(form) {
      // The conversation with a person has an id of its own.
      const channel = `D${form.get('channel')}`;
      const message = { channel, ts: `17.${messages.length}`, text: '', blocks: [], edits: 0 };
      messages.push(message);
      write(message, form);
      return { ok: true, channel, ts: message.ts };
    },
    'chat.update'(form) {
      const message = messages.find(({ channel, ts }) => channel === form.get('channel') && ts === form.get('ts'));
      if (message === undefined) return { ok: false, error: 'message_not_found' };
      write(message, form);
      message.edits += 1;
      return { ok: true };
    },
    'chat.postEphemeral'(form) {
      replies.push({ user: form.get('user') ?? '', text: form.get('text') ?? '' });
      return { ok: true };
    },
    'auth.test': () => ({ ok: true }),
    'apps.connections.open': () => ({ ok: true, url: `ws://127.0.0.1:${opened.port}/link` }),
  };
  function write(message: SlackMessage, form: URLSearchParams): void {
    message.text = form.get('text') ?? '';
    message.blocks = JSON.parse(form.get('blocks') ?? '[]');
  }

  const opened = await openServer(async (request, response) => {
    const method = (request.url ?? '').replace('/api/', '');
    const form = new URLSearchParams(await text(request));
    calls.push(method);
    const at = refusals.findIndex((refusal) => refusal.method === method);
    const [refusal] = at < 0 ? [] : refusals.splice(at, 1);
    const { token, appToken } = slackTokens;
    const isAllowed = request.headers.authorization === `Bearer ${method.startsWith('apps.') ? appToken : token}`;
    const answerOf = () =>
      isAllowed
        ? (methods[method]?.(form) ?? { ok: false, error: 'unknown_method' })
        : { ok: false, error: 'invalid_auth' };
    const scopes = { 'x-oauth-scopes': granted.join(',') };
    const headers = {
      'content-type': 'application/json',
      ...scopes,
      ...(refusal?.status === 429 && { 'retry-after': '7' }),
    };
    response.writeHead(refusal?.status ?? 200, headers).end(JSON.stringify(refusal?.body ?? answerOf()));
    happened();
  });
  opened.server.on('upgrade', (request: IncomingMessage, socket: Duplex) => {
    const accept = createHash('sha1')
      .update(`${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
      .digest('base64');
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    let buffered = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      buffered = Buffer.concat([buffered, chunk]);
      for (let read = readFrame(buffered); read !== undefined; read = readFrame(buffered)) {
        buffered = buffered.subarray(read.length);
        if (read.opcode === 9) socket.write(frame(10, read.payload));
        else if (read.opcode === 8) socket.end(frame(8, read.payload));
        else if (read.opcode === 1) acknowledged.push(String(JSON.parse(String(read.payload)).envelope_id));
        happened();
      }
    });
    socket.write(frame(1, JSON.stringify({ type: 'hello' })));
  });
  return {
    app: { ...slackTokens, apiUrl: `${opened.url}/api/` },
    /** The scopes of the bot. */
    granted,
    messages,
    replies,
    calls,
    acknowledged,
    connections: () => connections,
    isListened: () => sockets.size > 0,
    /** The next call of this method is refused. */
    refuse: (method: string, status: number, body: object = {}) => void refusals.push({ method, status, body }),
    buttonsOf: (message: SlackMessage | undefined): SlackButton[] =>
      (message?.blocks ?? [])
        .flatMap(({ elements }) => (Array.isArray(elements) ? elements : []))
        .filter(({ type }) => type === 'button'),
    press({
      user,
      on,
      button,
    }: {
      user: string;
      on: Pick<SlackMessage, 'channel' | 'ts'>;
      button: SlackButton;
    }): string {
      const id = `envelope ${acknowledged.length} ${Math.random()}`;
      const payload = {
        type: 'block_actions',
        user: { id: user },
        container: { type: 'message', channel_id: on.channel, message_ts: on.ts },
        actions: [{ type: 'button', ...button }],
      };
      const body = JSON.stringify({ type: 'interactive', envelope_id: id, payload, accepts_response_payload: true });
      [...sockets].at(-1)?.write(frame(1, body));
      return id;
    },
    /** The connections end without a word. */
    drop() {
      for (const socket of sockets) socket.destroy();
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await opened[Symbol.asyncDispose]();
    },
  };
}

function frame(opcode: number, content: string | Buffer): Buffer {
  const payload = Buffer.from(content);
  const length = payload.length < 126 ? [payload.length] : [126, payload.length >> 8, payload.length & 255];
  return Buffer.concat([Buffer.from([128 | opcode, ...length]), payload]);
}

/** The first frame of a client, which are all masked; undefined while it is not complete. */
function readFrame(bytes: Buffer) {
  if (bytes.length < 2) return undefined;
  const short = (bytes[1] ?? 0) & 127;
  const start = short === 126 ? 4 : 2;
  if (bytes.length < start + 4) return undefined;
  const size = short === 126 ? bytes.readUInt16BE(2) : short;
  if (bytes.length < start + 4 + size) return undefined;
  const mask = bytes.subarray(start, start + 4);
  const payload = Buffer.from(
    bytes.subarray(start + 4, start + 4 + size).map((byte, at) => byte ^ (mask[at % 4] ?? 0)),
  );
  return { opcode: (bytes[0] ?? 0) & 15, payload, length: start + 4 + size };
}
