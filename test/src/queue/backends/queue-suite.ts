// The contract of a delivery queue; every backend runs it in the file of its own name.

import { afterAll, expect, it } from 'vitest';
import { SlotstreamError } from '#src/base/errors.ts';
import { until } from '../../../harness/ports.ts';
import {
  batchOf,
  bodiesOf,
  type ChildLine,
  hurried,
  kill9,
  open,
  places,
  removeFolders,
  startChild,
} from './queue-places.ts';

const nobody = async (): Promise<void> => undefined;

export function describeQueue(backend: keyof typeof places): void {
  const newPlace = places[backend];
  afterAll(removeFolders);

  it('hands each batch to the worker once, as it was added', async () => {
    const queue = await open(await newPlace());
    const taken: unknown[] = [];
    const added = [batchOf('{"name":"Zoë \\u0000 \\ud800 🙂"}', 'b'), batchOf('c')];
    queue.work(async (batch) => void taken.push(batch), nobody, { concurrency: 2 });
    for (const batch of added) await queue.add(batch);
    await until(() => taken.length === 2, 'both are taken');
    await queue.close();
    expect(taken).toEqual(expect.arrayContaining(added));
    expect(queue.engine).toBe(backend);
  });

  it('tries a batch again until its cause has passed, and then forgets it', async () => {
    const queue = await open(await newPlace());
    let tries = 0;
    const worker = queue.work(
      async () => {
        tries += 1;
        if (tries < 4) throw new SlotstreamError('store_unavailable', 'The store is away.');
      },
      nobody,
      { concurrency: 1 },
    );
    await queue.add(batchOf('a'));
    await until(() => tries === 4, 'the fourth try');
    await worker.close();
    expect(await queue.depth()).toEqual({ waiting: 0, active: 0, delayed: 0, failed: 0 });
    await queue.close();
  });

  it.concurrent('redelivers the batch of a killed worker within 15 seconds', { timeout: 60_000 }, async () => {
    const place = await newPlace();
    let queue = await open(place);
    await queue.add(batchOf('a', 'b'));
    if (backend === 'embedded') await queue.close();
    const child = startChild(place, 'hang');
    await until(() => child.lines.some((line) => line.did === 'took'), 'the child has the batch');
    await kill9(child);
    if (backend === 'embedded') queue = await open(place);
    const taken: unknown[] = [];
    queue.work(async (batch) => void taken.push(...bodiesOf(batch)), nobody, { concurrency: 1 });
    await until(() => taken.length === 2, 'the batch comes again', 15_000);
    await queue.close();
    expect(taken).toEqual(['a', 'b']);
  });

  it.concurrent(
    'gives up only the delivery that kills its workers, and does the others',
    { timeout: 90_000 },
    async () => {
      const place = { ...(await newPlace()), pace: hurried };
      const queue = await open(place);
      for (const batch of [batchOf('a', 'poison', 'b'), batchOf('c'), batchOf('d')]) await queue.add(batch);
      await queue.close();

      const lines: ChildLine[] = [];
      const bodiesThat = (did: ChildLine['did']): string[] => [
        ...new Set(lines.filter((line) => line.did === did).map((line) => line.body)),
      ];
      const settled = (): boolean => bodiesThat('finished').length + bodiesThat('gaveUp').length === 5;
      while (!settled()) {
        const child = startChild(place, 'dieOnPoison', lines);
        await until(() => settled() || child.process.signalCode !== null, 'the child settles it, or dies of it');
        await kill9(child);
      }
      expect(bodiesThat('finished').toSorted()).toEqual(['a', 'b', 'c', 'd']);
      expect(bodiesThat('gaveUp')).toEqual(['poison']);
    },
  );

  it('lets running batches finish when the worker is closed, and takes no more', async () => {
    const queue = await open(await newPlace());
    const finished: string[] = [];
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const { promise: permitted, resolve: permit } = Promise.withResolvers<void>();
    const worker = queue.work(
      async (batch) => {
        begin();
        await permitted;
        finished.push(...bodiesOf(batch));
      },
      nobody,
      { concurrency: 1 },
    );
    await queue.add(batchOf('first'));
    await queue.add(batchOf('second'));
    await begun;
    const closed = worker.close();
    expect(await queue.depth()).toMatchObject({ waiting: 1, active: 1 });
    permit();
    await closed;
    expect(finished).toEqual(['first']);
    expect(await queue.depth()).toEqual({ waiting: 1, active: 0, delayed: 0, failed: 0 });
    await queue.close();
  });

  it('hands a job of a wrong shape to the worker as it is', async () => {
    const queue = await open(await newPlace());
    const taken: unknown[] = [];
    queue.work(async (batch) => void taken.push(batch), nobody, { concurrency: 1 });
    await queue.add({ tenant: 'another', deliveries: 7 } as never);
    await until(() => taken.length === 1, 'it is taken');
    await queue.close();
    expect(taken).toEqual([{ tenant: 'another', deliveries: 7 }]);
  });

  it('answers a ping, and closes without a worker', async () => {
    const queue = await open(await newPlace());
    await queue.ping();
    expect((await queue.check()).filter((problem) => problem.fatal)).toEqual([]);
    await queue.close();
  });
}
