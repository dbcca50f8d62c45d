// A receiver and a worker on one PostgreSQL, which is restarted under load. A killed worker: `queue-suite.ts`.
import { expect, inject, it } from 'vitest';
import { judge } from '../../../oracle/deliveries.ts';
import { until } from '../../../harness/ports.ts';
import { startPostgres } from '../../../harness/postgres.ts';
import { openHome } from '../../../harness/product.ts';
import { openSender } from '../../../harness/mirror/sender.ts';
import { contactStory } from '../../../harness/data/contact-deliveries.ts';

it.runIf(inject('postgresUrl'))(
  'a PostgreSQL that is store and queue, restarted under load, cleanly and not, loses nothing and quarantines nothing',
  async () => {
    await using postgres = await startPostgres({ durable: true });
    const store = await postgres.createDatabase();
    await using home = await openHome({ QUEUE_URL: store, DATABASE_URL: store });
    const [receiver, worker] = [await home.open('receive'), await home.open('work')];
    const sender = openSender({ url: receiver.webhook, key: home.signingKey, lanes: 4 });
    const story = [...contactStory({ contacts: 24, versions: 10 })];
    const half = Math.ceil(story.length / 2);
    for (const [turn, mode] of (['immediate', 'fast'] as const).entries()) {
      const enough = sender.accepted() + 40;
      const sending = sender.send(story.slice(turn * half, (turn + 1) * half));
      await until(() => sender.accepted() >= enough, 'some more deliveries are accepted');
      await postgres.restart(mode);
      await sending;
    }
    sender.close();
    expect(new Set(sender.sent.flatMap(({ answers }) => answers))).toEqual(new Set([202]));
    await judge(home.store, sender.sent);
    expect(await Promise.all([receiver.term(), worker.term()])).toEqual([0, 0]);
  },
);
