// What the operations about the process use: one example of each, unless a test gives its own.
import type { MirrorProcess } from '#src/api/mirror/mirror-process.ts';
import { loadConfig } from '#src/config/load.ts';

const organization = 'https://service.example.com/organizations/1';
const step = { families: ['contact'], scope: 'organization', owner: organization, events: ['contact.created'] };
const account = {
  organization,
  user: 'https://service.example.com/users/1',
  group: null,
  callback: 'https://hooks.example.com/webhooks',
  notes: [],
};

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
    jobs: async (state) => [
      {
        id: '7',
        state,
        deliveries: 2,
        attempts: 3,
        addedMs: Date.now() - 5000,
        dueMs: state === 'delayed' ? Date.now() + 5000 : null,
        lastError: 'store_unavailable',
      },
    ],
    recoverFailed: async () => {},
  },
  planSubscriptions: async () => ({
    ...account,
    pending: true,
    summary: { create: 1, keep: 0 },
    steps: [{ ...step, action: 'create', url: `${account.callback}?s=1` }],
    subscriptions: [
      {
        uri: 'https://service.example.com/webhook_subscriptions/1',
        callback_url: `${account.callback}?s=secret`,
        state: 'active',
        scope: 'organization',
        owner: account.organization,
        events: ['contact.created'],
        retry_started_at: null,
      },
    ],
  }),
  ...more,
});
