// Checks the running processes: one answers here or was seen elsewhere, and they keep up with the deliveries.
import { hostname } from 'node:os';
import { slotstream } from '#src/base/command.ts';
import { timeText } from '#src/base/time.ts';
import { z } from 'zod';
import { manyWaiting } from '#src/read/health/process-health.ts';
import { readStatus } from '#src/app/read-status.ts';
import { isEmbedded } from '#src/queue/registry.ts';
import { isMissing as hasNotReported, lowDisksText, processName as nameOf, sumOf } from '#src/store/process-reports.ts';
import type { ProcessRow } from '#src/store/processes.ts';
import type { Check } from './check.ts';

const count = z.number().optional().catch(undefined);
const status = z.looseObject({
  queue: z.looseObject({ waiting: count, state: z.string().optional() }).optional().catch(undefined),
});

export const checkProcess: Check = async ({ config, log, now }, report) => {
  const { running, processes, status: read } = await readStatus({ config, log });
  const isMissing = (each: ProcessRow) => hasNotReported(each, now().getTime());
  const alive = processes.filter((each) => !isMissing(each));
  if (alive.length > 0)
    report.ok('process', `running: ${alive.map(nameOf).join(', ')}${running ? '' : '; none on this data folder'}.`);
  else if (running) report.ok('process', 'running, and its admin listener answers.');
  else
    report.warning(
      'process',
      'none is running on this data folder.',
      `${slotstream} start (or run doctor on the machine where it runs)`,
    );
  for (const each of processes.filter(isMissing))
    report.warning(
      'process',
      `${nameOf(each)} has not reported since ${timeText(each.seen_at)}: it was killed, or cannot reach the database.`,
      'Start it again, if it is not meant to be gone. An hour after its last report it is no longer listed.',
    );
  for (const { spool_deliveries: spooled, ...each } of alive.filter((each) => (each.spool_deliveries ?? 0) > 0))
    report.warning(
      'spool',
      `${spooled} ${spooled === 1 ? 'delivery waits' : 'deliveries wait'} on the disk of ${nameOf(each)} for the queue.`,
      'They are sent to the queue as soon as it answers: see the line about the queue.',
    );
  const { queue } = status.safeParse(read).data ?? {};
  // The queue of a server is asked by a check of its own.
  if (queue?.state !== undefined && isEmbedded(config.queueUrl))
    report.problem('queue', `it is ${queue.state}.`, 'See the log of the process, and restart it.');
  if ((queue?.waiting ?? 0) > manyWaiting)
    report.warning('queue', `${queue?.waiting} batches are waiting.`, `Run more workers: ${slotstream} work`);
  for (const each of alive.filter(({ journal_full: isFull }) => isFull))
    report.problem(
      'journal',
      `that of ${nameOf(each)} is full, so deliveries are rejected.`,
      `Run more workers (${slotstream} work), or raise JOURNAL_MAX_MB.`,
    );
  // The disks of this machine have a check of their own.
  const far = alive.filter(({ host }) => host !== hostname());
  if (lowDisksText(far) !== '')
    report.warning(
      'disk',
      `little free space: ${lowDisksText(far)}.`,
      'Free disk space. Below MIN_FREE_DISK_MB they accept nothing more.',
    );
  const losses = sumOf(alive, 'queue_losses');
  if (losses > 0)
    report.warning(
      'journal',
      `the queue lost jobs ${losses} ${losses === 1 ? 'time' : 'times'} within the last 10 minutes; they were enqueued again.`,
      'Find out why Redis lost data: see docs/durability.md.',
    );
};
