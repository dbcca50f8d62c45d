import { describe, expect, it } from 'vitest';
import { checkRedis } from '#src/queue/backends/redis-check.ts';

describe('the check of Redis', () => {
  it('rejects for a Cluster that was never reached, so that the gate stays closed', async () => {
    await expect(checkRedis([])).rejects.toMatchObject({ code: 'queue_unavailable' });
  });
});
