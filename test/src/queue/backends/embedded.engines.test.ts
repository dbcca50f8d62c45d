import { describe, expect, it } from 'vitest';
import { until } from '../../../harness/ports.ts';
import { bodiesOf, kill9, open, places, startChild } from './queue-places.ts';
import { describeQueue } from './queue-suite.ts';

const nobody = async (): Promise<void> => undefined;

describe('the embedded queue', () => {
  describeQueue('embedded');

  it('has one owner, names it to the second, and is free again when the first one closes', async () => {
    const place = await places.embedded();
    const first = await open(place);
    const refusal: unknown = await open(place).catch((error: unknown) => error);
    expect(refusal).toMatchObject({
      code: 'queue_held',
      message: expect.stringContaining(`process ${process.pid} on `),
    });
    await first.close();
    await (await open(place)).close();
  });

  it(
    'loses nothing it accepted when its process is killed again and again, and is free at once',
    { timeout: 60_000 },
    async () => {
      const place = await places.embedded();
      const accepted: string[] = [];
      for (let round = 0; round < 3; round += 1) {
        const child = startChild({ ...place, name: `round-${round}` }, 'add');
        await until(() => child.lines.filter((line) => line.did === 'added').length >= 100, 'a hundred are accepted');
        await kill9(child);
        accepted.push(...child.lines.filter((line) => line.did === 'added').map((line) => `${round} ${line.body}`));
      }
      const taken = new Set<string>();
      for (let round = 0; round < 3; round += 1) {
        const queue = await open({ ...place, name: `round-${round}` });
        queue.work(async (batch) => void taken.add(`${round} ${bodiesOf(batch).join()}`), nobody, { concurrency: 4 });
        const mine = accepted.filter((body) => body.startsWith(`${round} `));
        await until(() => mine.every((body) => taken.has(body)), 'all of them are taken');
        await queue.close();
      }
      expect(accepted.length).toBeGreaterThanOrEqual(300);
    },
  );
});
