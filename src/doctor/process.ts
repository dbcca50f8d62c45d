// The running process: there, and keeping up with what comes in.
import { z } from 'zod';
import { askRunning, openAdminToken } from '#src/api/running-instance.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import type { Check } from './check.ts';
import { doubtful, ill, well, type Finding } from './finding.ts';

const count = z.number().optional().catch(undefined);
const status = z.looseObject({
  queue: z.looseObject({ waiting: count, failed: count, state: z.string().optional() }).optional().catch(undefined),
  spool: z.looseObject({ deliveries: count }).optional().catch(undefined),
});

/** Batches; each holds up to 256 deliveries. */
const manyWaiting = 100;

export const checkProcess: Check = async ({ config }) => {
  let answer: unknown;
  try {
    answer = await askRunning(config.dataDir, { token: () => openAdminToken(config), path: '/api/status' });
  } catch (error) {
    if (!(error instanceof SlotstreamError) || error.code !== 'not_running') throw error;
    return [
      doubtful(
        'process',
        'none runs on this data folder.',
        'npx slotstream start (or look on the machine where it runs)',
      ),
    ];
  }
  return [well('process', 'running, and its admin listener answers.'), ...lagIn(status.safeParse(answer).data ?? {})];
};

function lagIn({ queue, spool }: Partial<z.output<typeof status>>): readonly Finding[] {
  const found: Finding[] = [];
  if (queue?.state !== undefined)
    found.push(ill('lag', `the queue is ${queue.state}.`, 'Start the queue, or correct QUEUE_URL.'));
  if ((queue?.waiting ?? 0) > manyWaiting)
    found.push(doubtful('lag', `${queue?.waiting} batches wait.`, 'Run more workers: npx slotstream work'));
  if ((spool?.deliveries ?? 0) > 0)
    found.push(
      doubtful(
        'lag',
        `${spool?.deliveries} deliveries are on disk, waiting for the queue.`,
        'They drain by themselves once the queue answers: look at the line about the queue.',
      ),
    );
  return found;
}
