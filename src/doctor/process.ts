// Checks the running process: it answers, and keeps up with the deliveries.
import { z } from 'zod';
import { askRunning, openAdminToken } from '#src/api/running-instance.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import { ok, problem, warning, type Check, type Finding } from './check.ts';

const count = z.number().optional().catch(undefined);
const journal = z.looseObject({ losses: count, is_full: z.boolean().optional().catch(undefined) });
const status = z.looseObject({
  queue: z.looseObject({ waiting: count, failed: count, state: z.string().optional() }).optional().catch(undefined),
  spool: z.looseObject({ deliveries: count }).optional().catch(undefined),
  journal: journal.optional().catch(undefined),
});

/** In batches; each holds up to 256 deliveries. */
const manyWaiting = 100;

export const checkProcess: Check = async ({ config }) => {
  let answer: unknown;
  try {
    answer = await askRunning(config.dataDir, { token: () => openAdminToken(config), path: '/api/status' });
  } catch (error) {
    if (!(error instanceof SlotstreamError) || error.code !== 'not_running') throw error;
    return [
      warning(
        'process',
        'none is running on this data folder.',
        'npx slotstream start (or run doctor on the machine where it runs)',
      ),
    ];
  }
  return [
    ok('process', 'running, and its admin listener answers.'),
    ...lagFindings(status.safeParse(answer).data ?? {}),
    ...journalFindings(status.safeParse(answer).data?.journal ?? {}),
  ];
};

function lagFindings({ queue, spool }: Partial<z.output<typeof status>>): readonly Finding[] {
  const found: Finding[] = [];
  if (queue?.state !== undefined)
    found.push(problem('lag', `the queue is ${queue.state}.`, 'Start the queue, or correct QUEUE_URL.'));
  if ((queue?.waiting ?? 0) > manyWaiting)
    found.push(warning('lag', `${queue?.waiting} batches are waiting.`, 'Run more workers: npx slotstream work'));
  if ((spool?.deliveries ?? 0) > 0)
    found.push(
      warning(
        'lag',
        `${spool?.deliveries} deliveries are on disk, waiting for the queue.`,
        'They are sent to the queue as soon as it answers: see the line about the queue.',
      ),
    );
  return found;
}

function journalFindings({ losses = 0, is_full: isFull = false }: z.output<typeof journal>): readonly Finding[] {
  const found: Finding[] = [];
  if (isFull)
    found.push(
      problem(
        'journal',
        'it is full, so deliveries are rejected.',
        'Run more workers (npx slotstream work), or raise JOURNAL_MAX_MB.',
      ),
    );
  if (losses > 0)
    found.push(
      warning(
        'journal',
        `the queue lost jobs ${losses} ${losses === 1 ? 'time' : 'times'} since the receiver started; they were enqueued again.`,
        'Find out why Redis lost data: see docs/durability.md.',
      ),
    );
  return found;
}
