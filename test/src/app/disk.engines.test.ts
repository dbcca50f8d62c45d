// Disks that are almost full: deliveries wait on another disk or get 503, the worker pauses, and everything continues with room.
import { basename } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { openApp } from '#src/app/app.ts';
import { loadConfig } from '#src/config/load.ts';
import { createLog } from '#src/observability/log.ts';
import { eventually } from '../../harness/moments.ts';
import { ask, judge } from '../../oracle/deliveries.ts';
import { until } from '../../harness/ports.ts';
import { openHome, type Home } from '../../harness/product.ts';
import { openSender } from '../../harness/mirror/sender.ts';
import { startRedis } from '../../harness/redis.ts';
import { copyPostgres } from '../../harness/templates.ts';
import { contactStory } from '../../harness/data/contact-deliveries.ts';

const gigabyte = 1024 ** 3;

/** The product with disks that the test fills; a folder is named by the last part of its path. */
async function openScene(settings: Readonly<Record<string, string>> = {}, { receives = true } = {}) {
  const home = await openHome(settings);
  const full = new Set<string>();
  const lines: string[] = [];
  const log = createLog({ level: 'info', pretty: false, destination: { write: (line) => void lines.push(line) } });
  const app = await openApp(
    {
      config: loadConfig(home.settings),
      log,
      freeBytes: async (folder) => (full.has(nameOf(home, folder)) ? 1024 : gigabyte),
    },
    { receives, works: true, makesKey: false },
  );
  const url = `http://127.0.0.1:${app.port}`;
  const sender = openSender({ url: `${url}/webhooks`, key: home.signingKey });
  return {
    home,
    sender,
    lines,
    fill: async (...folders: readonly string[]) => {
      full.clear();
      for (const folder of folders) full.add(folder);
      const isDown = async () => (await ready(url)).engines['disk'] === 'down';
      await until(async () => (await isDown()) === full.size > 0, 'the process has noticed it');
    },
    ready: () => ready(url),
    fillUnnoticed: (folder: string) => void full.add(folder),
    status: async () => (await app.status()) as { queue: Record<string, number>; disk_log: { waiting: number } },
    metrics: async () => {
      const headers = { authorization: `Bearer ${app.adminToken}` };
      return (await fetch(`${app.adminUrl}/metrics`, { headers })).text();
    },
    [Symbol.asyncDispose]: async () => {
      sender.close();
      await app[Symbol.asyncDispose]();
      await home[Symbol.asyncDispose]();
    },
  };
}

const nameOf = ({ dataDir }: Home, folder: string): string => (folder === dataDir ? 'store' : basename(folder));
const ready = async (url: string) =>
  (await (await fetch(`${url}/readyz`)).json()) as { status: string; engines: Record<string, string> };
const rows = async (home: Home) => Number((await ask(home.store, 'select count(*) as n from event_log'))[0]?.['n']);

describe.concurrent('a disk that is almost full', () => {
  it('under the embedded queue sends deliveries to a disk log on another disk, and into the queue with room', async () => {
    await using scene = await openScene();
    await scene.fill('queue');
    await scene.sender.send(contactStory({ contacts: 3, versions: 2 }));
    const { sent } = scene.sender;
    const { disk_log, queue } = await scene.status();
    expect([scene.sender.accepted(), disk_log.waiting, queue['waiting']]).toEqual([sent.length, sent.length, 0]);
    const { status, engines } = await scene.ready();
    expect([status, engines]).toMatchObject(['degraded', { queue: 'down', disk: 'down', store: 'up' }]);
    await scene.fill();
    await judge(scene.home.store, scene.sender.sent);
  });

  it('under queue and disk log gets deliveries 503 until there is room', async () => {
    await using scene = await openScene();
    await scene.fill('queue', 'disk-log', 'store');
    const [first] = contactStory({ contacts: 1, versions: 1 });
    await scene.sender.send([first ?? '']);
    expect(scene.sender.sent[0]?.answers).toEqual([503]);
    expect((await scene.ready()).status).toBe('not_ready');
    expect(scene.lines.join('')).toContain('the disk is almost full: the queue is paused');
    expect(await scene.metrics()).toContain('slotstream_disk_free_bytes{part="disk_log"} 1024');
    await scene.fill();
    await until(async () => {
      await scene.sender.send([first ?? '']);
      return scene.sender.accepted() > 0;
    }, 'deliveries are accepted again');
    await until(async () => (await rows(scene.home)) === 1, 'it is a row');
  });

  it('under the store pauses the worker: deliveries wait in the queue, and none is quarantined', async () => {
    await using scene = await openScene();
    await scene.fill('store');
    await scene.sender.send(contactStory({ contacts: 5, versions: 4 }));
    expect(scene.sender.accepted()).toBe(scene.sender.sent.length);
    expect((await scene.ready()).status).toBe('degraded');
    const { queue, disk_log } = await scene.status();
    expect([await rows(scene.home), queue['failed'], disk_log.waiting]).toEqual([0, 0, 0]);
    await until(async () => (await scene.status()).queue['active'] === 0, 'the worker holds no batch');
    await scene.fill();
    await judge(scene.home.store, scene.sender.sent);
    expect(await ask(scene.home.store, "select 1 from event_log where outcome = 'quarantined'")).toEqual([]);
  });

  it.runIf(inject('redisUrl'))('under the disk log gets deliveries 503, whatever Redis has room for', async () => {
    await using redis = await startRedis();
    await using scene = await openScene({ QUEUE_URL: redis.url });
    await scene.fill('disk-log');
    await scene.sender.send(contactStory({ contacts: 1, versions: 1 }));
    expect(scene.sender.sent[0]?.answers).toEqual([503]);
    await scene.fill();
    const story = [...contactStory({ contacts: 2, versions: 2 })];
    await scene.sender.send(story);
    expect(scene.sender.accepted()).toBe(story.length);
    await judge(scene.home.store, scene.sender.sent);
  });
});

it('doctor and status name the process that refuses deliveries because its disk is full', async () => {
  await using scene = await openScene();
  expect((await scene.home.run(['doctor'])).out).toContain('✓ disk: The disks have room.');
  await scene.fill('queue', 'disk-log', 'store');
  const { out, code } = await scene.home.run(['doctor']);
  expect(out).toMatch(/✗ readiness: start on \S+ \(pid \d+\) refuses deliveries: its disk is almost full/);
  expect(out).toMatch(/! disk: Little free disk space: start on .*disk log 0 MB in \S+disk-log/);
  expect(code).toBe(3);
  expect((await scene.home.run(['status'])).out).toMatch(/^ {2}start .* 0 MB +refuses deliveries$/m);
});

it.runIf(inject('redisUrl') && inject('postgresUrl'))(
  'the data folder of a worker without a queue or a store on its disk is reported, and does not stop it',
  async () => {
    await using redis = await startRedis();
    const settings = { QUEUE_URL: redis.url, DATABASE_URL: await copyPostgres() };
    await using scene = await openScene(settings, { receives: false });
    expect((await scene.home.run(['status'])).out).toMatch(/^ {2}work .* 1024 MB +running$/m);
    scene.fillUnnoticed('store');
    await eventually(async () => (await scene.home.run(['doctor'])).out).toMatch(
      /! disk: Little free disk space: work on .*data 0 MB in /,
    );
    expect(await scene.metrics()).toContain('slotstream_disk_free_bytes{part="data"} 1024');
    expect((await scene.home.run(['doctor'])).out).toContain('✓ readiness: ');
  },
);
