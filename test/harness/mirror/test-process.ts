// What the pages about the process use: one example of each, unless a test gives its own.
import type { MirrorProcess } from '#src/api/mirror/mirror-process.ts';
import { loadConfig } from '#src/config/load.ts';

const callback = 'https://hooks.example.com/webhooks';
const events = ['contact.created'];

export const testProcess = (more: Partial<MirrorProcess> = {}): MirrorProcess => ({
  settings: loadConfig({}).settings,
  schedule: { canCompare: true, reconcileEveryMs: 3_600_000, sweepEveryMs: 86_400_000 },
  sinks: async () => [
    {
      name: 'webhook',
      host: 'push.example.com',
      state: 'retrying',
      position: 1,
      behind: 2,
      sent: 4,
      failures: 3,
      last_error: 'ECONNREFUSED',
    },
  ],
  queue: {
    engine: 'embedded',
    depth: async () => ({ waiting: 1, active: 1, delayed: 1, failed: 1 }),
    oldestMs: async () => Date.now() - 5000,
  },
  planSubscriptions: async () => ({
    organization: 'https://service.example.com/organizations/1',
    callback,
    notes: [],
    pending: true,
    conclusion: 'Plan: 1 to create, 0 to delete, 0 to keep.',
    steps: [{ mark: '+', action: 'create', scope: 'organization', events }],
    subscriptions: [
      {
        callback_url: `${callback}?s=secret`,
        state: 'active',
        scope: 'organization',
        events,
        retry_started_at: null,
      },
    ],
  }),
  ...more,
});
