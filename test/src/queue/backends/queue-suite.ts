// The contract of a delivery queue; every backend runs it in the test file of its name.

import { afterAll, expect, it } from 'vitest';
import { SlotstreamError } from '#src/base/errors.ts';
import { until } from '../../../harness/ports.ts';
import {
  batchOf,
  bodiesOf,
  type ChildLine,
  fastTiming,
  kill9,
  locations,
  openRunning,
  removeFolders,
  startChild,
} from './queue-locations.ts';

const ignore = async (): Promise<void> => undefined;

export function describeQueue(backend: keyof typeof locations): void {
  const newLocation = locations[backend];
  afterAll(removeFolders);

  it('passes each batch to the worker once, unchanged, of whatever shape', async () => {
    const queue = await openRunning(await newLocation());
    const taken: unknown[] = [];
    const added = [batchOf('{"name":"Zoë \\u0000 \\ud800 🙂"}', 'b'), batchOf('c'), { deliveries: 7 } as never];
    queue.work(async (batch) => void taken.push(batch), ignore, { concurrency: 2 });
    for (const batch of added) await queue.add(batch);
    await until(() => taken.length === 3, 'all are taken');
    await queue.close();
    expect(taken).toEqual(expect.arrayContaining(added));
    expect(queue.engine).toBe(backend);
  });

  it('keeps notes beside its jobs: the last text of each name, for every process and after a restart', async () => {
    const location = await newLocation();
    const queue = await openRunning(location);
    expect(await queue.notes.read()).toEqual(new Map());
    await queue.notes.remove(['none']);
    await queue.notes.write('a', 'one');
    await queue.notes.write('a', "two 'quoted'");
    await queue.notes.write('b', '');
    await queue.add(batchOf('x'));
    await queue.close();
    const other = await openRunning(location);
    expect(await other.notes.read()).toEqual(new Map([['a', "two 'quoted'"], ['b', '']])); // prettier-ignore
    await other.notes.remove(['b', 'none']);
    expect([...(await other.notes.read()).keys()]).toEqual(['a']);
    expect(await other.depth()).toMatchObject({ waiting: 1, failed: 0 });
    await other.close();
  });

  it('belongs to the mirror that claimed it first, by its id and its keys, until it is released (S1)', async () => {
    const location = await newLocation();
    const queue = await openRunning(location);
    const { owner } = queue;
    const claim = (mirrorId: string | undefined, ...keyMarks: readonly string[]) =>
      owner.claim({ mirrorId, keyMarks, receives: mirrorId === undefined });
    expect(owner.isOwn()).toBeUndefined();
    expect(await claim(undefined, 'key of a')).toBeUndefined();
    expect(owner.isOwn()).toBe(true);
    // A worker of another mirror that has its keys, and one that has none.
    expect(await claim('b', 'key of b')).toMatchObject({ fatal: true, isOther: true });
    expect(owner.isOwn()).toBe(false);
    expect(await claim('a')).toBeUndefined();
    expect(await claim('b')).toMatchObject({
      message: expect.stringContaining('belongs to the mirror a; the database here is the mirror b') as string,
      hint: expect.stringContaining('?name=mirror_b ') as string,
    });
    expect(await claim(undefined, 'key of b')).toMatchObject({
      message: expect.stringContaining('other signing keys') as string,
    });
    expect(await claim(undefined)).toBeUndefined();
    // An exchange of the key: with both for a while, or registered by `bootstrap` first.
    expect(await claim(undefined, 'second key', 'key of a')).toBeUndefined();
    expect(await claim(undefined, 'second key')).toBeUndefined();
    expect(await claim(undefined, 'third key')).toMatchObject({ isOther: true });
    await owner.addKeys({ mirrorId: 'b', keyMarks: ['key of b'] });
    await owner.addKeys({ mirrorId: 'a', keyMarks: ['third key'] });
    expect(await claim(undefined, 'third key')).toBeUndefined();
    expect(await claim(undefined, 'key of b')).toMatchObject({ isOther: true });
    // A process that has database and keys may exchange all of them.
    expect(await owner.claim({ mirrorId: 'a', keyMarks: ['fourth key'], receives: true })).toBeUndefined();
    expect(await claim(undefined, 'fourth key')).toBeUndefined();
    await queue.close();
    const again = await openRunning(location);
    expect(await again.owner.compare({ mirrorId: 'b', keyMarks: [], receives: false })).toMatchObject({
      isOther: true,
    });
    expect(again.owner.isOwn()).toBeUndefined();
    await again.owner.release();
    expect(await again.owner.claim({ mirrorId: 'b', keyMarks: ['key of b'], receives: true })).toBeUndefined();
    await again.close();
  });

  it('retries a batch until the cause has passed, and then removes it', async () => {
    const queue = await openRunning(await newLocation());
    let tries = 0;
    const worker = queue.work(
      async () => {
        tries += 1;
        if (tries < 4) throw new SlotstreamError('store_unavailable', 'The store is down.');
      },
      ignore,
      { concurrency: 1 },
    );
    await queue.add(batchOf('a'));
    await until(() => tries === 4, 'the fourth attempt');
    await worker.close();
    expect(await queue.depth()).toEqual({ waiting: 0, active: 0, delayed: 0, failed: 0 });
    await queue.close();
  });

  it('pauses while no batch may be taken, holds none meanwhile, and continues afterwards', async () => {
    const queue = await openRunning(await newLocation());
    const taken: unknown[] = [];
    let [isAllowed, asked] = [false, 0];
    const mayTake = async (): Promise<boolean> => ((asked += 1), isAllowed);
    queue.work(async (batch) => void taken.push(...bodiesOf(batch)), ignore, { concurrency: 2, mayTake });
    for (const body of ['a', 'b', 'c', 'd']) await queue.add(batchOf(body));
    await until(() => asked > 1, 'the worker has asked again');
    // A batch that is put back may be between two states meanwhile.
    await until(async () => {
      const { waiting, active, delayed, failed } = await queue.depth();
      return active === 0 && failed === 0 && waiting + delayed === 4;
    }, 'it holds no batch');
    expect(taken).toEqual([]);
    isAllowed = true;
    await until(() => taken.length === 4, 'all are taken');
    await queue.close();
    expect(taken.toSorted()).toEqual(['a', 'b', 'c', 'd']);
  });

  it.concurrent('redelivers the batch of a killed worker within 15 seconds', { timeout: 60_000 }, async () => {
    const location = await newLocation();
    let queue = await openRunning(location);
    await queue.add(batchOf('a', 'b'));
    if (backend === 'embedded') await queue.close();
    const child = startChild(location, 'hang');
    await until(() => child.lines.some((line) => line.event === 'took'), 'the child has the batch');
    await kill9(child);
    if (backend === 'embedded') queue = await openRunning(location);
    const taken: unknown[] = [];
    queue.work(async (batch) => void taken.push(...bodiesOf(batch)), ignore, { concurrency: 1 });
    await until(() => taken.length === 2, 'the batch is delivered again', 15_000);
    await queue.close();
    expect(taken).toEqual(['a', 'b']);
  });

  it.concurrent(
    'quarantines only the poison pill, and processes the other deliveries',
    { timeout: 90_000 },
    async () => {
      const location = { ...(await newLocation()), timing: fastTiming };
      const queue = await openRunning(location);
      for (const batch of [batchOf('a', 'poison', 'b'), batchOf('c'), batchOf('d')]) await queue.add(batch);
      await queue.close();

      const lines: ChildLine[] = [];
      const bodiesThat = (event: ChildLine['event']): string[] => [
        ...new Set(lines.filter((line) => line.event === event).map((line) => line.body)),
      ];
      const settled = (): boolean => bodiesThat('finished').length + bodiesThat('quarantined').length === 5;
      while (!settled()) {
        const child = startChild(location, 'dieOnPoison', lines);
        await until(
          () => settled() || child.process.signalCode !== null,
          'the child has processed everything, or has crashed',
        );
        await kill9(child);
      }
      expect(bodiesThat('finished').toSorted()).toEqual(['a', 'b', 'c', 'd']);
      expect(bodiesThat('quarantined')).toEqual(['poison']);
    },
  );

  it('finishes running batches when the worker is closed, and takes no more', async () => {
    const queue = await openRunning(await newLocation());
    const finished: string[] = [];
    let begun = 0;
    const { promise: permitted, resolve: permit } = Promise.withResolvers<void>();
    const worker = queue.work(
      async (batch) => {
        begun += 1;
        await permitted;
        finished.push(...bodiesOf(batch));
      },
      ignore,
      { concurrency: 1 },
    );
    for (const body of ['first', 'second']) await queue.add(batchOf(body));
    await until(() => begun === 1, 'a batch is running');
    const closed = worker.close();
    expect(await queue.depth()).toMatchObject({ waiting: 1, active: 1 });
    permit();
    await closed;
    expect(finished).toEqual(['first']);
    expect(await queue.depth()).toEqual({ waiting: 1, active: 0, delayed: 0, failed: 0 });
    await queue.close();
  });

  it('says when the oldest waiting job and the oldest running job were added', async () => {
    const queue = await openRunning(await newLocation());
    expect(await queue.oldestMs('waiting')).toBeUndefined();
    const since = Date.now();
    await queue.add(batchOf('a', 'b'));
    const between = Date.now();
    await until(() => Date.now() > between, 'the clock goes on');
    await queue.add(batchOf('c'));
    const oldest = await queue.oldestMs('waiting');
    expect(oldest).toBeGreaterThanOrEqual(since);
    expect(oldest).toBeLessThanOrEqual(between);
    const gate = Promise.withResolvers<void>();
    queue.work(() => gate.promise, ignore, { concurrency: 1 });
    await until(async () => (await queue.depth()).active === 1, 'one runs');
    expect(await queue.oldestMs('active')).toBe(oldest);
    expect(await queue.oldestMs('waiting')).toBeGreaterThan(between);
    gate.resolve();
    await queue.close();
  });
}
