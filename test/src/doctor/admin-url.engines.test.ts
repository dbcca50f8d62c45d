// Doctor and `alerts test` say whether the links of alerts open a page.
import { describe, expect, inject, it } from 'vitest';
import { adminUrlWarning } from '#src/doctor/admin-url.ts';
import { listen, openAdmin } from '../../harness/mirror/api-app.ts';
import { freePort } from '../../harness/ports.ts';
import { openHome } from '../../harness/product.ts';
import { startRedis } from '../../harness/redis.ts';

describe.runIf(inject('redisUrl'))('ADMIN_URL', () => {
  it('of a worker is right; of a receiver, doctor and alerts test say what to change', async () => {
    await using redis = await startRedis();
    await using home = await openHome({ QUEUE_URL: redis.url });
    const [forWorker, forReceiver] = [String(await freePort()), String(await freePort())];
    await home.open('work', { settings: { ADMIN_PORT: forWorker } });
    await home.open('receive', { settings: { ADMIN_PORT: forReceiver } });
    const right = await home.run(['doctor'], { ADMIN_URL: `http://127.0.0.1:${forWorker}` });
    expect(right.out).toContain(`✓ admin URL: links in alerts lead to http://127.0.0.1:${forWorker}.`);
    const wrong = { ADMIN_URL: `http://127.0.0.1:${forReceiver}` };
    const said =
      /! .*a process that only receives and has no pages\.\n  → Set ADMIN_URL to the admin listener of a worker/;
    expect((await home.run(['doctor'], wrong)).out).toMatch(said);
    expect((await home.run(['alerts', 'test'], wrong)).err).toMatch(said);
  });

  it('where nothing or something else answers is wrong; a proxy that asks for a login says nothing', async () => {
    const nowhere = `http://127.0.0.1:${await freePort()}`;
    expect(await adminUrlWarning(nowhere)).toMatchObject({ message: expect.stringContaining('(ECONNREFUSED') });
    await using stranger = await listen({ fetch: () => new Response('Hello', { status: 404 }) });
    expect(await adminUrlWarning(stranger.url)).toMatchObject({
      message: expect.stringContaining('not Slotstream (404)'),
    });
    await using proxy = await listen({ fetch: () => new Response('Log in', { status: 401 }) });
    await using worker = await listen(
      openAdmin({ health: { readiness: async () => ({ status: 'not_ready', engines: { store: 'down' } }) } }),
    );
    for (const url of [proxy.url, worker.url, undefined]) expect(await adminUrlWarning(url)).toBeUndefined();
  });
});
