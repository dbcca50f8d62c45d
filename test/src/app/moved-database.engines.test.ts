// A running mirror whose SQLite file was moved: nothing that it answers 2xx is lost, and it says what happened.
import { rename } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { contactStory } from '../../harness/data/contact-deliveries.ts';
import { openSender } from '../../harness/mirror/sender.ts';
import { openHome } from '../../harness/product.ts';
import { until } from '../../harness/ports.ts';
import { judge } from '../../oracle/deliveries.ts';

it('a mirror whose file was moved is not ready, says so, and keeps deliveries in the queue until it is back (N8)', async () => {
  await using home = await openHome();
  const running = await home.open('start');
  using sender = openSenderOf(running.webhook, home.signingKey);
  const path = home.store.slice('sqlite:'.length);
  await rename(path, `${path}.moved`);
  await until(async () => (await running.admin('/readyz')).status === 503, 'the admin listener is not ready');
  expect(await running.readyStatus()).toBe('degraded');

  await sender.send(contactStory({ contacts: 3, versions: 2 }));
  expect(sender.accepted()).toBe(sender.sent.length);
  const { health, queue } = (await (await running.admin('/api/status')).json()) as {
    health: { id: string }[];
    queue: object;
  };
  expect(health.find(({ id }) => id === 'store')).toMatchObject({
    state: 'problem',
    sentence: expect.stringContaining(`${path} was moved or deleted while this process has it open.`),
    fix: expect.stringContaining('Move the same file back.'),
  });
  expect(queue).not.toMatchObject({ waiting: 0, active: 0, delayed: 0 });

  await rename(`${path}.moved`, path);
  await judge(home.store, sender.sent);
  await until(async () => (await running.admin('/readyz')).status === 200, 'it is ready again');
});

function openSenderOf(url: string, key: string) {
  const sender = openSender({ url, key });
  return { ...sender, [Symbol.dispose]: () => sender.close() };
}
