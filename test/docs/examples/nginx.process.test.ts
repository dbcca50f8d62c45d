// docs/examples/nginx.conf in front of two receivers, of which one freezes and then the other is killed.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { endWithThisProcess } from '../../harness/children.ts';
import { contactDelivery } from '../../harness/data/contact-deliveries.ts';
import { openSender } from '../../harness/mirror/sender.ts';
import { freePort, until } from '../../harness/ports.ts';
import { openHome } from '../../harness/product.ts';
import { startRedis } from '../../harness/redis.ts';
import { openTestSandbox } from '../../harness/sandbox.ts';

const example = readFileSync(join(import.meta.dirname, '../../../docs/examples/nginx.conf'), 'utf8');
const hasNginx = spawnSync('nginx', ['-v']).status === 0;
if (!hasNginx)
  console.warn(
    'No nginx here: that docs/examples/nginx.conf survives a frozen receiver is skipped. Install nginx (Debian: apt-get install nginx).',
  );

/** The example as it is, but for the ports and the certificate. */
async function startNginx(receivers: readonly [string, string]) {
  const folder = mkdtempSync(join(tmpdir(), 'slotstream-nginx-'));
  const port = await freePort();
  const site = example
    .replaceAll('8080', receivers[0])
    .replaceAll('8180', receivers[1])
    .replace('listen 443 ssl;', `listen 127.0.0.1:${port};`)
    .replaceAll(/^ *(listen \[::\]|ssl_).*\n/gm, '');
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  const text = `daemon off; pid ${folder}/pid; events {}
    http { log_format upstreams '$status $upstream_addr'; access_log ${folder}/access.log upstreams; ${paths.join(' ')}
    ${site} }`;
  writeFileSync(join(folder, 'nginx.conf'), text);
  const nginx = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', join(folder, 'error.log')]);
  endWithThisProcess(nginx);
  const url = `http://127.0.0.1:${port}`;
  await until(async () => (await fetch(url).catch(() => undefined))?.status === 404, 'nginx is up');
  return {
    webhook: `${url}/webhooks`,
    /** The receivers that each delivery was given to, one after the other. */
    attempts: (): readonly (readonly string[])[] =>
      readFileSync(join(folder, 'access.log'), 'utf8')
        .split('\n')
        .filter((line) => line !== '' && !line.startsWith('404'))
        .map((line) =>
          line
            .split(' ')
            .slice(1)
            .map((address) => address.replace(/^.*:(\d+),?$/, '$1')),
        ),
    async [Symbol.asyncDispose]() {
      const ended = once(nginx, 'exit');
      nginx.kill();
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}

describe.runIf(hasNginx && Boolean(inject('redisUrl')))('docs/examples/nginx.conf', () => {
  it('goes round a receiver that is frozen, and back to it when the other one has gone (B16)', async () => {
    await using redis = await startRedis();
    await using home = await openHome({ QUEUE_URL: redis.url });
    await using other = await openHome({ QUEUE_URL: redis.url, SIGNING_KEYS: home.signingKey });
    const [frozen, lively] = [await home.start('receive'), await other.start('receive')];
    const [frozenPort, livelyPort] = [new URL(frozen.url).port, new URL(lively.url).port];
    await using nginx = await startNginx([frozenPort, livelyPort]);
    let sent = 0;
    /** So many at the same time. Each must be accepted. Returns where each was sent. */
    const send = async (count: number) => {
      const before = nginx.attempts().length;
      const sender = openSender({ url: nginx.webhook, key: home.signingKey, lanes: count });
      await sender.send(Array.from({ length: count }, () => contactDelivery({ id: `c${(sent += 1)}`, version: 1 })));
      sender.close();
      expect(sender.sent.map(({ answers }) => answers)).toEqual(Array.from({ length: count }, () => [202]));
      await until(async () => nginx.attempts().length === before + count, 'nginx has logged them');
      return nginx.attempts().slice(before);
    };
    expect(new Set((await send(10)).flat())).toEqual(new Set([frozenPort, livelyPort]));

    process.kill(frozen.pid, 'SIGSTOP');
    try {
      const first = await send(20);
      expect(first.filter((tried) => tried.length > 1).length).toBeGreaterThan(0);
      expect(first.map((tried) => tried.at(-1))).toEqual(first.map(() => livelyPort));
      // Half of them would be 20. One in some ten seconds looks whether it answers again.
      const next = await send(40);
      expect(next.filter((tried) => tried.includes(frozenPort)).length).toBeLessThan(5);
    } finally {
      process.kill(frozen.pid, 'SIGCONT');
    }
    await lively.kill9();
    expect((await send(10)).map((tried) => tried.at(-1))).toEqual(Array.from({ length: 10 }, () => frozenPort));
  });

  it('passes on the proof of the receiver, so that bootstrap registers (A25)', async () => {
    await using redis = await startRedis();
    await using sandbox = await openTestSandbox({ contacts: 1, bookings: 1, rateLimits: false });
    await using home = await openHome({
      QUEUE_URL: redis.url,
      API_BASE_URL: sandbox.handles.base_url,
      API_TOKEN: sandbox.handles.tokens.owner,
    });
    const { port } = new URL((await home.open('receive')).url);
    await using nginx = await startNginx([port, port]);
    const { origin } = new URL(nginx.webhook);
    const wrong = await home.run(['bootstrap', '--anyway'], { PUBLIC_URL: `${origin}/hooks` });
    expect([wrong.code, wrong.err]).toEqual([3, expect.stringContaining('this is not the receiver: it answers 404')]);
    expect(await home.run(['bootstrap'], { PUBLIC_URL: origin })).toMatchObject({ code: 0 });
  });
});
