import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withBackend } from 'bullmq';
import { afterAll, describe, expect, it } from 'vitest';
import { JobTable } from '#src/queue/sqlite/job-table.ts';
import { createSqliteBackend } from '#src/queue/sqlite/queue-backend.ts';

const { Queue } = withBackend(createSqliteBackend);
const folder = mkdtempSync(join(tmpdir(), 'slotstream-backend-'));
const connection = new JobTable(join(folder, 'jobs.db'));
const queue = new Queue('deliveries', { connection, skipMetasUpdate: true });
afterAll(async () => {
  await queue.close();
  connection.close();
  rmSync(folder, { recursive: true });
});

describe("BullMQ's queue on SQLite", () => {
  it('rejects an operation that it does not support, by name', async () => {
    const rejected = {
      name: 'UnsupportedError',
      message: 'The embedded queue does not support the operation `pause`.',
    };
    await expect(queue.pause()).rejects.toMatchObject(rejected);
    await expect(queue.getRateLimitTtl()).rejects.toThrow('the operation `getRateLimitTtl`');
  });

  it.each([{ priority: 2 }, { lifo: true }, { deduplication: { id: 'x' } }])(
    'rejects the job option %o, by name',
    async (options) => {
      await expect(queue.add('job', {}, options)).rejects.toThrow(`the job option \`${Object.keys(options)[0]}\``);
    },
  );
});
