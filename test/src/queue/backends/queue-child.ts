// A process for the queue suites to kill. It prints what it does, one JSON line each.

import { writeSync } from 'node:fs';
import { openQueue } from '#src/queue/registry.ts';
import { succeeds } from '../../../harness/ports.ts';
import type { ChildLine, QueueLocation } from './queue-locations.ts';

const [task, location] = [process.argv[2], JSON.parse(process.argv[3] ?? '') as QueueLocation];
const print = (event: ChildLine['event'], body: string): void =>
  void writeSync(1, `${JSON.stringify({ event, body })}\n`);
const bodies = (batch: unknown): string[] =>
  (batch as { deliveries: { body: string }[] }).deliveries.map((delivery) => delivery.body);

const queue = await openQueue({ ...location, report: () => undefined });
print('ready', '');

if (task === 'add') {
  // Without a listener the kernel would end the process at the limit on the size of its files.
  process.on('SIGXFSZ', () => {});
  const padding = ' '.repeat(256 * 1024);
  for (let n = 0; ; n += 1) {
    const delivery = { body: `n${n}${padding}`, receivedAt: '2025-04-14T11:42:33.115889Z' };
    const added = await succeeds(queue.add({ v: 1, deliveries: [delivery] }));
    print(added ? 'added' : 'rejected', `n${n}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

queue.work(
  async (batch) => {
    print('took', bodies(batch).join());
    if (task === 'hang') await new Promise(() => undefined);
    for (const body of bodies(batch)) {
      // A short pause, so that every job has begun when the poison pill crashes the process.
      await new Promise((resolve) => setTimeout(resolve, 20));
      if (body === 'poison') process.kill(process.pid, 'SIGKILL');
    }
    for (const body of bodies(batch)) print('finished', body);
  },
  async (delivery) => print('quarantined', (delivery as { body: string }).body),
  { concurrency: 4 },
);
