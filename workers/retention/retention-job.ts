// Retention on a timer: once a day, by one process of however many share the store.
import { dayMs, instantOf } from '#src/base/time.ts';
import { noteRetention } from './retention-state.ts';
import { prune, type RetentionNeeds } from './retention.ts';
import type { Job } from '#workers/scheduling/scheduler.ts';

export function retentionJob(needs: RetentionNeeds, { days }: { readonly days: number }): Job {
  return {
    name: 'retention',
    everyMs: dayMs,
    async run(signal) {
      const before = instantOf(needs.nowMs() - days * dayMs);
      const { examined, pruned, unreplayable, blanked } = await prune(needs, { before, signal });
      await noteRetention(needs.store, { finished_at: instantOf(needs.nowMs()), before, examined, pruned });
      return { before, examined, pruned, unreplayable, blanked };
    },
  };
}
