// `trigger`: signs realistic deliveries of any kind and sends them to a receiver, or prints them as curl commands.
import { shellQuoted, slotstream } from '#src/base/command.ts';
import { randomInt, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { describeEvent } from '#schemas/describe-event.ts';
import { eventKinds, isEventKind } from '#schemas/events.ts';
import { isObject } from '#schemas/wire.ts';
import type { Config } from '#src/config/load.ts';
import { codeOf, SlotstreamError } from '#src/base/errors.ts';
import { isLoopback } from '#src/base/loopback.ts';
import { openKeyRing } from '#src/signing/key-ring.ts';
import { createSampler } from '#src/sandbox/sample-delivery.ts';
import { signDelivery } from '#src/signing/signature.ts';
import { override } from '#src/cli/override.ts';
import { nameLines, safeTerminalText } from '#src/cli/terminal.ts';
import { asJson, defineVerb, wholeNumberFrom } from '#src/cli/verb.ts';

const kinds = Object.keys(eventKinds).filter(isEventKind);
const responseTimeoutMs = 15_000;

export const trigger = defineVerb({
  examples: [
    'slotstream trigger invitee.created',
    'slotstream trigger contact.updated --count 20 --rate 5',
    'slotstream trigger invitee.created --seed 7 --set email=ada@example.test',
    'slotstream trigger contact.deleted --seed 7 --print curl',
    'slotstream trigger invitee.created --url https://hooks.example.com/webhooks --key-file other-key',
  ],
  notes: ['The same --seed sends the same person and booking again.', '', ...nameLines('Kinds', kinds)],
  arguments: {
    event: { flags: '<event>', help: 'the kind of event', reads: z.enum(kinds, 'a kind of event'), names: kinds },
  },
  options: {
    count: { flags: '--count <n>', help: 'how many (default: 1)', reads: wholeNumberFrom(1).default(1) },
    rate: { flags: '--rate <n>', help: 'at most this many per second', reads: wholeNumberFrom(1).optional() },
    set: {
      flags: '--set <path=value>',
      help: 'change a field of the payload (repeatable)',
      reads: z.array(z.string()).default([]),
      repeats: true,
    },
    url: {
      flags: '--url <url>',
      help: 'the receiver (default: http://127.0.0.1:PORT/webhooks)',
      reads: z.url({ protocol: /^https?$/, error: 'a web address' }).optional(),
    },
    keyFile: {
      flags: '--key-file <file>',
      help: 'the file that holds the signing key (default: the configured key, SIGNING_KEYS). Other users of a machine see what a command line has.',
      reads: z.string().min(1, 'the name of a file').optional(),
    },
    seed: {
      flags: '--seed <n>',
      help: 'the same seed makes the same deliveries',
      reads: wholeNumberFrom(0).optional(),
    },
    print: {
      flags: '--print <form>',
      help: 'print instead of sending: curl',
      reads: z.literal('curl', 'curl').optional(),
    },
    json: asJson,
  },

  async run(context, input) {
    const config = context.config();
    const url = input.url ?? `http://127.0.0.1:${config.port}/webhooks`;
    const key = input.keyFile === undefined ? configuredKey(config, context.now()) : keyIn(input.keyFile);
    const seed = input.seed ?? randomInt(2 ** 31);
    if (input.print === undefined && isReal(config)) context.notify(madeUp);
    const sample = createSampler(seed);
    let refused = 0;
    for (let index = 0; index < input.count; index += 1) {
      if (index > 0 && input.rate !== undefined) await wait(1000 / input.rate);
      const now = context.now();
      const delivery: { payload?: unknown } = input.set.reduce<object>(override, sample(input.event, { index, now }));
      const body = JSON.stringify(delivery);
      const headers = { 'content-type': 'application/json', ...signatureOf(config, key, { body, now }) };
      if (input.print === 'curl') {
        context.out(curlCommand({ url, headers, body }));
        continue;
      }
      const status = await send({ url, headers, body });
      if (status >= 300) refused += 1;
      const payload = isObject(delivery.payload) ? delivery.payload : {};
      const happened = status < 300 ? `: ${safeTerminalText(describeEvent({ event: input.event, payload }))}` : '';
      context.out(
        input.json
          ? JSON.stringify({ event: input.event, seed, index, status })
          : `${status} ${input.event}${happened}`,
      );
    }
    if (refused === 0) return 0;
    context.notify(`✗ ${refused} of ${input.count} refused.`);
    context.notify(
      "→ 401 means another signing key or another time: compare the signing key and the clock with the receiver's.",
    );
    return 1;
  },
});

const madeUp = `! This mirror is of a real account, and the deliveries contain made-up data: its people, bookings and payments
  will stay in your tables and views.
→ To try things out: ${slotstream} demo. To take a person out again: ${slotstream} erase EMAIL`;

/** A service on this machine is assumed to be a sandbox. */
function isReal({ api: { baseUrl, token, oauth } }: Config): boolean {
  return (token ?? oauth) !== undefined && !isLoopback(new URL(baseUrl));
}

function configuredKey({ signing, dataDir }: Config, now: Date): string | undefined {
  const { keys, allowUnsigned } = signing;
  return openKeyRing({ keys, dataDir, generate: false, allowUnsigned }).keysAt(now.getTime())[0];
}

/** The first one: the file of a receiver, `signing-keys`, may have several. */
function keyIn(file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw new SlotstreamError('usage', `${file} cannot be read (${codeOf(cause)}).`, {
      hint: 'Name a file that holds the signing key.',
      cause,
    });
  }
  const key = text
    .split(/[\n,]/)
    .map((line) => line.trim())
    .find((line) => line !== '');
  if (key !== undefined) return key;
  throw new SlotstreamError('usage', `${file} holds no key.`, { hint: 'Write the signing key into it.' });
}

function signatureOf(
  { signing }: Config,
  key: string | undefined,
  { body, now }: { body: string; now: Date },
): Record<string, string> {
  if (key === undefined) return {};
  return signDelivery({
    scheme: signing.scheme,
    headerName: signing.header,
    key,
    body: Buffer.from(body),
    atSeconds: Math.floor(now.getTime() / 1000),
    id: `msg_${randomUUID()}`,
  });
}

async function send({ url, headers, body }: DeliveryRequest): Promise<number> {
  try {
    const signal = AbortSignal.timeout(responseTimeoutMs);
    const answer = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' });
    await answer.arrayBuffer();
    return answer.status;
  } catch (cause) {
    throw new SlotstreamError('not_running', `No receiver answers at ${new URL(url).origin}.`, {
      hint: `Start one with: ${slotstream} start. Or name another with --url.`,
      cause,
    });
  }
}

interface DeliveryRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A curl command that works when pasted into a shell, whatever the body holds. */
function curlCommand({ url, headers, body }: DeliveryRequest): string {
  return [
    `curl --silent --show-error --request POST ${shellQuoted(url)}`,
    ...Object.entries(headers).map(([name, value]) => `--header ${shellQuoted(`${name}: ${value}`)}`),
    `--data-binary ${shellQuoted(body)}`,
  ].join(' \\\n  ');
}
