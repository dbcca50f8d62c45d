// Checks the running process: it answers, and keeps up with the deliveries.
import { slotstream } from '#src/base/command.ts';
import { z } from 'zod';
import { askRunning, openAdminToken } from '#src/api/running-instance.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import type { Check } from './check.ts';

const count = z.number().optional().catch(undefined);
const journal = z.looseObject({ losses: count, is_full: z.boolean().optional().catch(undefined) });
const status = z.looseObject({
  queue: z.looseObject({ waiting: count, failed: count, state: z.string().optional() }).optional().catch(undefined),
  spool: z.looseObject({ deliveries: count }).optional().catch(undefined),
  journal: journal.optional().catch(undefined),
});

/** In batches; each holds up to 256 deliveries. */
const manyWaiting = 100;

export const checkProcess: Check = async ({ config }, report) => {
  let answer: unknown;
  try {
    [answer] = await askRunning(config.dataDir, { token: () => openAdminToken(config), path: '/api/status' });
  } catch (error) {
    if (!(error instanceof SlotstreamError) || error.code !== 'not_running') throw error;
    return report.warning(
      'process',
      'none is running on this data folder.',
      `${slotstream} start (or run doctor on the machine where it runs)`,
    );
  }
  report.ok('process', 'running, and its admin listener answers.');
  const { queue, spool, journal: { losses = 0, is_full: isFull = false } = {} } = status.safeParse(answer).data ?? {};
  if (queue?.state !== undefined)
    report.problem('lag', `the queue is ${queue.state}.`, 'Start the queue, or correct QUEUE_URL.');
  if ((queue?.waiting ?? 0) > manyWaiting)
    report.warning('lag', `${queue?.waiting} batches are waiting.`, `Run more workers: ${slotstream} work`);
  if ((spool?.deliveries ?? 0) > 0)
    report.warning(
      'lag',
      `${spool?.deliveries} deliveries are on disk, waiting for the queue.`,
      'They are sent to the queue as soon as it answers: see the line about the queue.',
    );
  if (isFull)
    report.problem(
      'journal',
      'it is full, so deliveries are rejected.',
      `Run more workers (${slotstream} work), or raise JOURNAL_MAX_MB.`,
    );
  if (losses > 0)
    report.warning(
      'journal',
      `the queue lost jobs ${losses} ${losses === 1 ? 'time' : 'times'} since the receiver started; they were enqueued again.`,
      'Find out why Redis lost data: see docs/durability.md.',
    );
};
