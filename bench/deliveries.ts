// Deliveries to measure with: what a busy sandbox emits, as raw bodies, signed where they travel by HTTP.
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createService } from '#src/sandbox/seed/seed.ts';
import { createLiveActivity } from '#src/sandbox/live.ts';
import { signDelivery } from '#src/signing/signature.ts';

export const signingKey = 'bench-signing-key-of-enough-bytes';

/** Names a folder of prepared deliveries, so that two versions of the product can be measured with the same ones. */
export const sharedBodiesVariable = 'SLOTSTREAM_BENCH_BODIES';

export function bodies(count: number, seed: number): string[] {
  const folder = process.env[sharedBodiesVariable];
  if (folder === undefined) return makeBodies(count, seed);
  const file = join(folder, `${seed}-${count}.json`);
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8'));
  const made = makeBodies(count, seed);
  writeFileSync(file, JSON.stringify(made));
  return made;
}

interface Pace {
  readonly startMs: number;
  /** How much time passes between two events of the service. */
  readonly stepMs: number;
}

const atOnce: Pace = { startMs: Date.parse('2026-01-01T00:00:00Z'), stepMs: 0 };

export function makeBodies(count: number, seed: number, { startMs, stepMs }: Pace = atOnce): string[] {
  const found: string[] = [];
  const { service, handles } = createService(
    {
      baseUrl: 'https://api.scheduling.test',
      seed,
      contacts: 0,
      bookings: 0,
      as: 'public',
      eventTypes: true,
      rateLimits: false,
    },
    {
      realMs: () => startMs + found.length * stepMs,
      emit: ({ event, at, payload }) =>
        void found.push(
          JSON.stringify({ event, created_at: at, created_by: 'https://api.scheduling.test/users/bench', payload }),
        ),
    },
  );
  const { organization } = handles;
  const act = createLiveActivity({
    service,
    organization,
    report: (error) => {
      throw error;
    },
  });
  while (found.length < count) act();
  return found.slice(0, count);
}

/** A delivery of ours as a whole, signed HTTP request. */
export function request(body: string): Buffer {
  const content = Buffer.from(body);
  const signature = signDelivery({
    scheme: 'timestamped',
    headerName: 'Calendly-Webhook-Signature',
    key: signingKey,
    body: content,
    atSeconds: Math.floor(Date.now() / 1000),
    id: randomUUID(),
  });
  return requestBytes(signature, content);
}

/** A whole HTTP request as bytes, so that the sender costs next to nothing. */
export function requestBytes(headers: Readonly<Record<string, string>>, content: Buffer): Buffer {
  const all = {
    host: '127.0.0.1',
    'content-type': 'application/json',
    'content-length': String(content.length),
    ...headers,
  };
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`POST /webhooks HTTP/1.1\r\n${head.join('')}\r\n`), content]);
}
