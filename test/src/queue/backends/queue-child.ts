// A process for the queue suites to kill. It says what it does on standard output, a JSON line each.

import { writeSync } from 'node:fs';
import { openQueue } from '#src/queue/registry.ts';
import type { ChildLine, Place } from './queue-places.ts';

const [task, place] = [process.argv[2], JSON.parse(process.argv[3] ?? '') as Place];
const say = (did: ChildLine['did'], body: string): void => void writeSync(1, `${JSON.stringify({ did, body })}\n`);
const bodies = (batch: unknown): string[] =>
  (batch as { deliveries: { body: string }[] }).deliveries.map((delivery) => delivery.body);

const queue = await openQueue({ ...place, report: () => undefined });
say('ready', '');

if (task === 'add') {
  for (let n = 0; ; n += 1) {
    await queue.add({ v: 1, deliveries: [{ body: `n${n}`, receivedAt: '2025-04-14T11:42:33.115889Z' }] });
    say('added', `n${n}`);
  }
}

if (task === 'hangSending') {
  const sends = await queue.openSends(`${place.name}-sends`);
  await sends.add([{ id: 'a-0', data: { v: 1, alerts: ['a'], at: '' } }]);
  const hang = async (): Promise<void> => {
    say('took', 'a');
    await new Promise(() => undefined);
  };
  sends.work(hang, { concurrency: 1 });
}

queue.work(
  async (batch) => {
    say('took', bodies(batch).join());
    if (task === 'hang') await new Promise(() => undefined);
    for (const body of bodies(batch)) {
      // A tick, so that every job in hand has begun when the poisoned one strikes.
      await new Promise((resolve) => setTimeout(resolve, 20));
      if (body === 'poison') process.kill(process.pid, 'SIGKILL');
    }
    for (const body of bodies(batch)) say('finished', body);
  },
  async (delivery) => say('gaveUp', (delivery as { body: string }).body),
  { concurrency: 4 },
);
