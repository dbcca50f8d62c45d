// The queue: answers, and is set so that it loses nothing.
import { isEmbedded, openQueue } from '#src/queue/registry.ts';
import type { Check } from './check.ts';
import { doubtful, ill, well } from './finding.ts';

export const checkQueue: Check = async ({ config }) => {
  if (isEmbedded(config.queueUrl))
    return [well('queue', 'embedded, in the data folder; its owner is the running process.')];
  const queue = await openQueue({ url: config.queueUrl, dataDir: config.dataDir, report: () => {} });
  try {
    await queue.ping();
    const problems = await queue.check();
    const { waiting, failed: givenUp } = await queue.depth();
    const told = problems.map(({ fatal, message, hint }) => (fatal ? ill : doubtful)('queue', message, hint));
    if (givenUp > 0)
      told.push(
        doubtful('queue', `${givenUp} batches were given up on.`, 'A running worker sweeps them: npx slotstream work'),
      );
    return told.length > 0 ? told : [well('queue', `${queue.engine} answers; ${waiting} batches wait.`)];
  } finally {
    await queue.close();
  }
};
