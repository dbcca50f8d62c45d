// Rows about processes of the product that are killed, frozen and restarted.
import { redisAndPostgres } from '../engines.ts';
import { scenario, type Scenario } from '../scenario.ts';

export const processRows: readonly Scenario[] = [
  scenario({
    name: 'kill -9 of a worker, five times',
    on: 'Redis + PostgreSQL',
    engines: redisAndPostgres,
    isInTests: true,
    async fault({ stack: { workers }, random, wait }) {
      const killed: number[] = [];
      for (let time = 1; time <= 5; time += 1) {
        const worker = random.pick(workers);
        killed.push(worker.pid());
        await worker.kill9();
        if (worker.isRunning()) throw new Error('The fault did not happen: the worker still runs.');
        await wait(500 + random.below(1000));
        await worker.start();
      }
      return `${killed.length} processes are gone: ${killed.join(', ')}`;
    },
  }),
];
