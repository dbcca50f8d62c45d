// The contract of a queue of sends; every backend runs it in the file of its own name.
import { afterAll, expect, it } from 'vitest';
import type { DeliveryQueue, SendJob, SendQueue } from '#src/queue/contract.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import { until } from '../../../harness/ports.ts';
import {
  batchOf,
  bodiesOf,
  fastTiming,
  kill9,
  open,
  type QueueLocation,
  locations,
  removeFolders,
  startChild,
} from './queue-locations.ts';

const jobOf = (alert: string, at = '2026-01-01T00:00:00.000000Z'): SendJob => ({
  id: `${alert}-${at.replaceAll(/\D/g, '')}`,
  data: { v: 1, alerts: [alert], at },
});
const empty = { waiting: 0, active: 0, delayed: 0, failed: 0 };

async function openBoth(
  location: QueueLocation,
): Promise<{ queue: DeliveryQueue; sends: SendQueue } & AsyncDisposable> {
  const queue = await open(location);
  const sends = await queue.openSends(`${location.name}-sends`);
  return { queue, sends, [Symbol.asyncDispose]: () => queue.close() };
}

export function describeSends(backend: keyof typeof locations): void {
  const newLocation = locations[backend];
  afterAll(removeFolders);

  it('hands each send to the worker once, as it was added, and then forgets it', async () => {
    await using both = await openBoth(await newLocation());
    const { sends } = both;
    const taken: unknown[] = [];
    const jobs = [jobOf('a'), jobOf('b', '2026-01-02T00:00:00.000000Z')];
    sends.work(async (data) => void taken.push(data), { concurrency: 2 });
    await sends.add(jobs);
    await sends.add([]);
    await until(async () => taken.length === 2 && (await sends.depth()).active === 0, 'both are taken');
    expect(taken).toEqual(expect.arrayContaining(jobs.map(({ data }) => data)));
    expect(await sends.depth()).toEqual(empty);
  });

  it('takes a send that waits already only once, and again when it is over', async () => {
    await using both = await openBoth(await newLocation());
    const { sends } = both;
    await sends.add([jobOf('a')]);
    await sends.add([jobOf('a'), jobOf('b')]);
    expect(await sends.depth()).toMatchObject({ waiting: 2 });
    const taken: string[] = [];
    sends.work(async (data) => void taken.push(...(data as SendJob['data']).alerts), { concurrency: 1 });
    await until(async () => taken.length === 2 && (await sends.depth()).active === 0, 'both are taken');
    await sends.add([jobOf('a')]);
    await until(() => taken.length === 3, 'it is taken again');
    expect(taken).toEqual(['a', 'b', 'a']);
  });

  it('keeps sends and deliveries apart', async () => {
    await using both = await openBoth(await newLocation());
    const { queue, sends } = both;
    const [batches, messages]: unknown[][] = [[], []];
    queue.work(
      async (batch) => void batches?.push(...bodiesOf(batch)),
      async () => undefined,
      { concurrency: 1 },
    );
    sends.work(async (data) => void messages?.push((data as SendJob['data']).alerts), { concurrency: 1 });
    await Promise.all([queue.add(batchOf('delivery')), sends.add([jobOf('alert')])]);
    await until(() => batches?.length === 1 && messages?.length === 1, 'both are taken');
    expect([batches, messages]).toEqual([['delivery'], [['alert']]]);
  });

  it('does a send again until its cause has passed', async () => {
    await using both = await openBoth(await newLocation());
    const { sends } = both;
    let tries = 0;
    sends.work(
      async () => {
        tries += 1;
        if (tries < 3) throw new SlotstreamError('store_unavailable', 'The store is away.');
      },
      { concurrency: 1 },
    );
    await sends.add([jobOf('a')]);
    await until(async () => tries === 3 && (await sends.depth()).active === 0, 'the third try');
    expect(await sends.depth()).toEqual(empty);
  });

  it('hands over the send of a killed process again', { timeout: 60_000 }, async () => {
    const location = { ...(await newLocation()), timing: fastTiming };
    const child = startChild(location, 'hangSending');
    await until(() => child.lines.some((line) => line.event === 'took'), 'the child has it');
    await kill9(child);
    await using both = await openBoth(location);
    const taken: string[] = [];
    both.sends.work(async (data) => void taken.push(...(data as SendJob['data']).alerts), { concurrency: 1 });
    await until(() => taken.length === 1, 'it comes again');
    expect(taken).toEqual(['a']);
  });

  it('lets a running send finish when it closes, and starts no other', async () => {
    const location = await newLocation();
    const first = await openBoth(location);
    const finished: unknown[] = [];
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const { promise: permitted, resolve: permit } = Promise.withResolvers<void>();
    first.sends.work(
      async (data) => {
        begin();
        await permitted;
        finished.push((data as SendJob['data']).alerts[0]);
      },
      { concurrency: 1 },
    );
    await first.sends.add([jobOf('first'), jobOf('second')]);
    await begun;
    const closed = first.queue.close();
    permit();
    await closed;
    expect(finished).toEqual(['first']);
    await using second = await openBoth(location);
    expect(await second.sends.depth()).toEqual({ ...empty, waiting: 1 });
  });
}
