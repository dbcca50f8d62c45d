// Everything the public listener can say. Each answer is fixed beforehand: nothing of a request can show up in one, and
// every refused signature gets the very same bytes.
import { selfTestTitle } from './self-test.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export const answers = {
  accepted: answer(202, 'Accepted', 'The delivery is safe and will be processed.'),
  selfTest: answer(200, selfTestTitle, 'The signature is right. Nothing was stored.'),
  alive: answer(200, 'Alive', 'The process is running.'),
  badRequest: answer(400, 'Bad Request', 'The request could not be understood.'),
  unverified: answer(401, 'Unauthorized', 'The signature could not be verified.'),
  notFound: answer(404, 'Not Found', 'There is nothing here.'),
  methodNotAllowed: answer(405, 'Method Not Allowed', 'Deliveries are sent with POST.', { allow: 'POST' }),
  readOnly: answer(405, 'Method Not Allowed', 'Health is asked with GET.', { allow: 'GET, HEAD' }),
  tooLarge: answer(413, 'Payload Too Large', 'The body is larger than this receiver accepts.', { connection: 'close' }),
  compressed: answer(415, 'Unsupported Media Type', 'Compressed bodies are not accepted.', {
    'accept-encoding': 'identity',
  }),
  failed: answer(500, 'Internal Server Error', 'The request could not be handled.'),
  busy: answer(503, 'Service Unavailable', 'Too much is being sent at once; send it again.', {
    'retry-after': '5',
    connection: 'close',
  }),
  unavailable: answer(503, 'Service Unavailable', 'The delivery could not be stored; send it again.', {
    'retry-after': '5',
  }),
} as const satisfies Record<string, Answer>;

export function toResponse({ status, headers, text }: Answer): Response {
  return new Response(text, { status, headers });
}

/** The whole answer at once; its end, and with it the end of the connection, only when `until` resolves. */
export function toLingeringResponse({ status, headers, text }: Answer, until: Promise<void>): Response {
  const bytes = Buffer.from(text);
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(bytes);
      await until;
      controller.close();
    },
  });
  return new Response(body, { status, headers: { ...headers, 'content-length': String(bytes.length) } });
}

function answer(status: number, title: string, message: string, headers: Record<string, string> = {}): Answer {
  return jsonAnswer(status, { title, message }, headers);
}

export function jsonAnswer(status: number, content: object, headers: Record<string, string> = {}): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    text: JSON.stringify(content),
  };
}
