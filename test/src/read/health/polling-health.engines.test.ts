import { describe, expect, it } from 'vitest';
import { readPolling } from '#src/read/health/polling-health.ts';
import { endLease, takeLease } from '#src/store/jobs/lease.ts';
import { requireSameOrganization } from '#workers/sync/mirror-identity.ts';
import { recordFilled } from '#src/store/jobs/filled.ts';
import { oneEngine } from '../../../harness/stores.ts';

for (const { name, fresh } of oneEngine)
  describe(`the ages of a mirror without webhooks on ${name}`, () => {
    it('begin with the first copy: a job that ran before it has read nothing', async () => {
      await using mirror = await fresh();
      const { store } = mirror;
      const nowMs = Date.parse('2026-01-01T12:00:00Z');
      const ages = async () =>
        Object.values((await readPolling(store, { jobPeriods: { poll: 1 } }, nowMs))?.ages ?? {});
      const lease = { store, nowMs: () => nowMs - 60_000, holder: 'a process' };
      await takeLease(lease, { job: 'reconcile', everyMs: 1 });
      await endLease(lease, 'reconcile', nowMs - 60_000);
      expect(await ages()).toEqual([undefined, undefined, undefined, undefined]);
      const copiedMs = nowMs - 30_000;
      const service = 'https://api.example.com';
      const account = { origin: service, organization: `${service}/organizations/1` };
      await requireSameOrganization(store, account, { claims: true });
      await recordFilled(store, new Date(copiedMs).toISOString());
      expect(await ages()).toEqual([copiedMs, copiedMs, copiedMs, copiedMs]);
      expect(await readPolling(store, { jobPeriods: {} }, nowMs)).toBeUndefined();
    });
  });
