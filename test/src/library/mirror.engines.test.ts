// Two mirrors in one process that share their engines, as two instances of a program do.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { createMirror } from '#src/library/mirror.ts';
import type { MirrorSettings } from '#src/library/mirror-settings.ts';
import { signWebhook } from '#src/library/webhooks.ts';
import { createSampler } from '#src/sandbox/sample-delivery.ts';
import { until } from '../../harness/ports.ts';
import { startRedis } from '../../harness/redis.ts';
import { copyPostgres } from '../../harness/templates.ts';

const key = 'a signing key of thirty-two bytes';

describe.runIf(inject('redisUrl') && inject('postgresUrl'))('two mirrors with their queue in Redis', () => {
  it('share the work and one handler: each entry reaches it, also after the first mirror has closed', async () => {
    const root = mkdtempSync(join(tmpdir(), 'slotstream-mirrors-'));
    await using redis = await startRedis();
    const database = await copyPostgres();
    const settingsOf = (name: string): MirrorSettings => ({
      database,
      queue: redis.url,
      dataDir: join(root, name),
      signingKeys: [key],
      minFreeDiskMb: 0,
      logLevel: 'silent',
    });
    const sample = createSampler(1);
    const deliveryOf = (index: number): Request => {
      const body = JSON.stringify(sample('contact.created', { index, now: new Date() }));
      return new Request('https://shop.example.test/', { method: 'POST', body, headers: signWebhook({ body, key }) });
    };
    const first = await createMirror(settingsOf('first'));
    await using second = await createMirror(settingsOf('second'));
    const seen: number[] = [];
    const handle = ({ entry }: { readonly entry: { readonly seq: number } }) => void seen.push(entry.seq);
    await Promise.all([first.on('contact.*', 'crm', handle), second.on('contact.*', 'crm', handle)]);
    for (const [index, mirror] of [first, second, first, second].entries())
      expect((await mirror.receive(deliveryOf(index))).status).toBe(202);
    await until(() => seen.length === 4, 'both mirrors have stored what they received');
    await first.close();
    expect((await second.receive(deliveryOf(4))).status).toBe(202);
    await until(() => seen.length === 5, 'the second mirror has taken the handler over');
    expect(new Set(seen).size).toBe(5);
    rmSync(root, { recursive: true, force: true });
  });
});
