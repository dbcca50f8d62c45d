// Finding out which delivery kills its worker. A crash blames every job its process had in hand, so after the second one
// the deliveries become suspects, one a job, and a suspect runs alone in its process, having written down that it does:
// whoever is found with two such notes after a crash did it, and the bystanders are only asked to come again.

import type { Job } from 'bullmq';

type Run = () => Promise<void>;

/** Lets many runs in together, or one alone, in the order of asking. */
export function createTurnstile(): { together(run: Run): Promise<void>; alone(run: Run): Promise<void> } {
  const inside = new Set<Promise<void>>();
  let lonely: Promise<unknown> = Promise.resolve();
  return {
    together: (run) => {
      const turn = lonely.then(run).finally(() => inside.delete(turn));
      inside.add(turn);
      return turn;
    },
    alone: (run) => {
      const turn = Promise.allSettled([lonely, ...inside]).then(run);
      lonely = turn.catch(() => undefined);
      return turn;
    },
  };
}

const suspectName = /^suspect-(?<notes>\d{1,3})$/;

/** Notes of lonely runs that never ended, over all lives of this suspect; undefined for a job nobody suspects. */
export function notesOf(job: { readonly name: string; readonly progress: unknown }): number | undefined {
  const earlier = suspectName.exec(job.name)?.groups?.['notes'];
  if (earlier === undefined) return undefined;
  return Number(earlier) + (typeof job.progress === 'number' ? job.progress : 0);
}

/** The name of a job that is run alone; the notes of its former life travel in it. */
export function nameOfSuspect(notes = 0): string {
  return `suspect-${notes}`;
}

/** Runs a suspect between its note and the note's removal: what throws has not crashed. */
export async function runNoted(job: Pick<Job, 'progress' | 'updateProgress'>, run: Run): Promise<void> {
  const before = typeof job.progress === 'number' ? job.progress : 0;
  await job.updateProgress(before + 1);
  try {
    await run();
  } catch (error) {
    await job.updateProgress(before);
    throw error;
  }
}
