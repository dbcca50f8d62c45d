// Deliveries to measure with: the believable story of the samples, as raw bodies, signed where they travel by HTTP.
import { randomUUID } from 'node:crypto';
import { sampleStream } from '#src/samples/stream.ts';
import { signDelivery } from '#src/signing/signature.ts';

export const signingKey = 'bench-signing-key-of-enough-bytes';

export function bodies(count: number, seed: number): string[] {
  const found: string[] = [];
  const startMs = Date.parse('2026-01-01T00:00:00Z');
  for (const delivery of sampleStream({ seed, now: () => new Date(startMs) })) {
    if (found.length >= count) break;
    found.push(JSON.stringify(delivery));
  }
  return found;
}

/** A whole HTTP request as bytes, so that the sender costs next to nothing. */
export function request(body: string): Buffer {
  const content = Buffer.from(body);
  const headers = {
    host: '127.0.0.1',
    'content-type': 'application/json',
    'content-length': String(content.length),
    ...signDelivery({
      scheme: 'timestamped',
      headerName: 'Calendly-Webhook-Signature',
      key: signingKey,
      body: content,
      atSeconds: Math.floor(Date.now() / 1000),
      id: randomUUID(),
    }),
  };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`POST /webhooks HTTP/1.1\r\n${head.join('')}\r\n`), content]);
}
