// Every response of the public listener. Responses are constant but for the proof of a self-test: they contain nothing of a request,
// and every rejected signature gets the same bytes.
import { selfTestTitle } from '#src/signing/self-test.ts';

export interface FixedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** No page of another site reads or guesses at an answer. */
const ownOnly = { 'cross-origin-resource-policy': 'same-origin', 'x-content-type-options': 'nosniff' } as const;

export const responses = {
  accepted: fixed(202, 'Accepted', 'The delivery is stored and will be processed.'),
  alive: fixed(200, 'Alive', 'The process is running.'),
  badRequest: fixed(400, 'Bad Request', 'The request is malformed.'),
  unverified: fixed(401, 'Unauthorized', 'The signature could not be verified.'),
  notFound: fixed(404, 'Not Found', 'There is nothing here.'),
  methodNotAllowed: fixed(405, 'Method Not Allowed', 'Deliveries are sent with POST.', { allow: 'POST' }),
  readOnly: fixed(405, 'Method Not Allowed', 'Use GET for health checks.', { allow: 'GET, HEAD' }),
  slow: fixed(408, 'Request Timeout', 'The body arrives too slowly.', { connection: 'close' }),
  tooLarge: fixed(413, 'Payload Too Large', 'The body is larger than this receiver accepts.', { connection: 'close' }),
  compressed: fixed(415, 'Unsupported Media Type', 'Compressed bodies are not accepted.', {
    'accept-encoding': 'identity',
  }),
  failed: fixed(500, 'Internal Server Error', 'The request could not be handled.'),
  busy: fixed(503, 'Service Unavailable', 'Too many bodies are being received; send it again later.', {
    'retry-after': '5',
    connection: 'close',
  }),
  starting: fixed(503, 'Service Unavailable', 'The process is starting; send it again later.', { 'retry-after': '5' }),
  unavailable: fixed(503, 'Service Unavailable', 'The delivery could not be stored; send it again later.', {
    'retry-after': '5',
  }),
} as const satisfies Record<string, FixedResponse>;

/** `proof`: null where there is no key to prove anything with, undefined where no proof was asked for. */
export function selfTestResponse(proof: string | null | undefined): FixedResponse {
  const message = proof === null ? 'Nothing was verified or stored.' : 'The signature is valid. Nothing was stored.';
  return jsonResponse(200, { title: selfTestTitle, message, ...(proof !== undefined && { proof }) });
}

/** With `until`, the sender gets the whole response at once, but the response, and with it the connection, ends only then. */
export function toResponse({ status, headers, text }: FixedResponse, until?: Promise<void>): Response {
  if (!until) return new Response(text, { status, headers });
  const length = String(Buffer.byteLength(text));
  return new Response(ReadableStream.from(held(text, until)), {
    status,
    headers: { ...headers, 'content-length': length },
  });
}

async function* held(text: string, until: Promise<void>): AsyncIterable<Uint8Array> {
  yield Buffer.from(text);
  await until;
}

function fixed(status: number, title: string, message: string, headers: Record<string, string> = {}): FixedResponse {
  return jsonResponse(status, { title, message }, headers);
}

export function jsonResponse(status: number, content: object, headers: Record<string, string> = {}): FixedResponse {
  return {
    status,
    headers: { 'content-type': 'application/json', ...ownOnly, ...headers },
    text: JSON.stringify(content),
  };
}
