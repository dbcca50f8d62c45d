// What the operations about the process use, with nothing behind it unless a test gives it.
import type { MirrorProcess } from '#src/api/mirror/mirror-process.ts';

export const testProcess = (more: Partial<MirrorProcess> = {}): MirrorProcess => ({
  settings: [],
  schedule: { canCompare: true, reconcileEveryMs: 3_600_000, sweepEveryMs: 86_400_000 },
  sinks: async () => [],
  queue: {
    engine: 'embedded',
    depth: async () => ({ waiting: 0, active: 0, delayed: 0, failed: 0 }),
    jobs: async () => [],
    recoverFailed: async () => {},
  },
  planSubscriptions: async () => ({}),
  applySubscriptions: async () => undefined,
  ...more,
});
