// Retention on a timer: once a day, by one process of however many share the store.
import { noteRetention } from './retention-state.ts';
import { prune, type RetentionNeeds } from './retention.ts';
import type { Job } from './schedules.ts';

const dayMs = 86_400_000;

export function retentionJob(needs: RetentionNeeds, { days }: { readonly days: number }): Job {
  return {
    name: 'retention',
    everyMs: dayMs,
    async run(signal) {
      const before = timeOf(needs.nowMs() - days * dayMs);
      const { examined, pruned, unreplayable, blanked } = await prune(needs, { before, signal });
      await noteRetention(needs.store, { finished_at: timeOf(needs.nowMs()), before, examined, pruned });
      return { before, examined, pruned, unreplayable, blanked };
    },
  };
}

/** Six digits, as times are stored. */
const timeOf = (ms: number): string => new Date(ms).toISOString().replace('Z', '000Z');
