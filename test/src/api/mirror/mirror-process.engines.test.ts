// Sinks as pages show them: what this process has. That settings show no secret is in test/src/config/shown-settings.test.ts.
import { describe, expect, it } from 'vitest';
import { readSinks } from '#src/api/mirror/mirror-process.ts';
import { setPosition } from '#src/store/log/consumer-offsets.ts';
import { openReadApi } from '../../../harness/mirror/read-api.ts';
import { testProcess } from '../../../harness/mirror/test-process.ts';
import { ingestBodies, oneEngine } from '../../../harness/stores.ts';

for (const { name, available, fresh } of oneEngine)
  describe.runIf(available)(`the sinks on ${name}`, () => {
    it('are listed with their host and how far behind they are, also one that is no longer configured', async () => {
      const process = testProcess();
      await using api = await openReadApi(fresh, { process });
      await ingestBodies(api.store, ['1', '2', '3']);
      const updated_at = '2025-04-14T12:00:00.000000Z';
      await api.store.transaction(async (unit) => {
        await setPosition(unit, { name: 'sink:webhook', position: 1, updated_at });
        await setPosition(unit, { name: 'sink:redis-stream', position: 2, updated_at });
        await setPosition(unit, { name: 'mine', position: 2, updated_at });
      });
      expect(await readSinks(api.context)).toEqual([
        { ...(await process.sinks())[0], updated_at },
        expect.objectContaining({ name: 'redis-stream', state: 'off', position: 2, behind: 1, host: null, updated_at }),
      ]);
    });
  });
