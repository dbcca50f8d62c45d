// The body and the headers of a request, in the forms that programs have them in.
import { joinedValues } from '#src/signing/header-values.ts';
import type { HeaderLookup } from '#src/signing/signature.ts';

type Headers = { get(name: string): string | null };
type HeaderRecord = Readonly<Record<string, string | readonly string[] | undefined>>;

export async function* asStream(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Undefined when it is longer. */
export async function readUpTo(
  body: AsyncIterable<Uint8Array> | null,
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of body ?? []) {
    length += piece.length;
    if (length > maxBytes) return undefined;
    pieces.push(piece);
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

export function bytesOf(body: Uint8Array | ArrayBuffer | string): Uint8Array {
  if (typeof body === 'string') return new TextEncoder().encode(body);
  if (body instanceof Uint8Array) return body;
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  throw new TypeError('body must be the bytes that arrived: parsed JSON cannot be verified');
}

export function headerLookup(headers: Headers | HeaderRecord): HeaderLookup {
  if (isHeaders(headers)) return (name) => joinedValues(headers.get(name));
  const entries = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), [value ?? []].flat()] as const);
  return (name) => entries.filter(([other]) => other === name).flatMap(([, values]) => values.flatMap(joinedValues));
}

const isHeaders = (headers: Headers | HeaderRecord): headers is Headers => typeof headers['get'] === 'function';
