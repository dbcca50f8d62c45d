// The commands that send a delivery again, run by a real shell with real tools and judged by the receiver's own check.
import { execFile } from 'node:child_process';
import type { IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { replayScript } from '#src/api/deliveries/curl-replay.ts';
import { signatureSchemes, verifySignature } from '#src/signing/signature.ts';
import { openServer, succeeds } from '../../../harness/ports.ts';

const run = promisify(execFile);
const hasTools = await succeeds(run('sh', ['-c', 'command -v curl && command -v openssl && command -v base64']));

async function openSubscriber() {
  const heard: { headers: IncomingHttpHeaders; body: Buffer }[] = [];
  const server = await openServer(async (request, response) => {
    heard.push({ headers: request.headers, body: await buffer(request) });
    response.writeHead(202).end();
  });
  return { ...server, heard, url: `${server.url}/webhooks` };
}

const hostile = [
  '{"name": "it\\u0027s", "quote": "\'; touch /tmp/owned; \'"}',
  '@/etc/passwd',
  '$(touch /tmp/owned) `id` "$SIGNING_KEY" \\n %s %d \\\\',
  ' leading, trailing \n\n',
  '-n é 🎉 \u202e',
  '{"x": \u0003\ntouch /tmp/owned\r\n\u001b[201~\u009b\u007f',
  `{"long": "${'x'.repeat(300_000)}"}`,
];

describe.runIf(hasTools)('the commands that send a delivery again', () => {
  it.each(
    signatureSchemes.flatMap((scheme) =>
      ['a signing key; with $odd "signs"', 'whsec_c2VjcmV0IGtleSBieXRlcw=='].map((key) => ({ scheme, key })),
    ),
  )('send the very bytes, rightly signed ($scheme, $key)', async ({ scheme, key }) => {
    await using ear = await openSubscriber();
    const texts = hostile.map((body) => ({ body, encoding: null, bytes: Buffer.from(body) }));
    const bytes = Buffer.from([0, 255, 10, 13, 0xc3, 0x28]);
    const all = [...texts, { body: bytes.toString('base64'), encoding: 'base64', bytes }];
    for (const { bytes: sent, ...delivery } of all) {
      const script = replayScript(delivery, { scheme, header: 'X-Our-Signature' });
      expect(script).not.toMatch(/(?!\n)\p{Cc}/u);
      const env = { PATH: process.env['PATH'], SIGNING_KEY: key, WEBHOOK_URL: ear.url };
      const child = run('sh', ['-s'], { env });
      child.child.stdin?.end(script);
      await child;
      const { headers, body } = ear.heard.at(-1) ?? { headers: {}, body: Buffer.alloc(0) };
      expect(body.equals(sent)).toBe(true);
      const verdict = verifySignature({
        scheme,
        headerName: 'X-Our-Signature',
        headers: (name) => [headers[name] ?? []].flat(),
        body,
        keys: [key],
        toleranceSeconds: 60,
        nowSeconds: Math.floor(Date.now() / 1000),
      });
      expect(verdict).toMatchObject({ ok: true });
    }
    expect(ear.heard).toHaveLength(all.length);
  });
});
