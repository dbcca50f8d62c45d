import { describe, expect, it } from 'vitest';
import { checkRedis } from '#src/queue/backends/redis-check.ts';

describe('the check of a Redis', () => {
  it('of a Cluster that was never reached is no answer, so that the gate stays shut', async () => {
    await expect(checkRedis([])).rejects.toMatchObject({ code: 'queue_unavailable' });
  });
});
