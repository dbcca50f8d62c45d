import { describe, expect, it } from 'vitest';
import { expireProcesses, listProcesses, removeProcess, writeProcess } from '#src/store/processes.ts';
import { rowsOf, storeEngines } from '../../harness/stores.ts';

const now = Date.parse('2026-01-01T12:00:00Z');
const row = {
  id: 'a',
  role: 'work',
  host: 'db-1',
  pid: 7,
  version: '1.2.3',
  admin_url: 'http://127.0.0.1:8081',
  started_at: '2026-01-01T00:00:00.000000Z',
  seen_at: '2026-01-01T11:59:59.000000Z',
  queue: 'answering',
  queue_waiting: 3,
  queue_active: 1,
  queue_failed: 0,
  queue_oldest_at: '2026-01-01T11:59:00.000000Z',
  active_oldest_at: null,
  queue_losses: null,
  spool_deliveries: null,
  spool_since: null,
  journal_batches: null,
  journal_full: false,
  accepted: null,
  refused: null,
  refused_stale: null,
  lag_p50_ms: 40,
  lag_p99_ms: 1_200,
  last_batch_at: null,
};

describe.each(storeEngines)('the rows of processes on $name', ({ available, fresh }) => {
  it.runIf(available)('are replaced by the next report, and removed when the process stops', async () => {
    await using opened = await fresh();
    const { store } = opened;
    await writeProcess(store, { ...row, queue_waiting: 1 });
    await writeProcess(store, row);
    expect(await listProcesses(store, now)).toEqual([row]);
    await removeProcess(store, 'a');
    expect(await listProcesses(store, now)).toEqual([]);
  });

  it.runIf(available)('of a process that was killed are listed for an hour, then deleted', async () => {
    await using opened = await fresh();
    const { store } = opened;
    await writeProcess(store, { ...row, seen_at: '2026-01-01T11:00:00.000000Z' });
    await writeProcess(store, { ...row, id: 'b', seen_at: '2026-01-01T10:59:59.000000Z' });
    expect((await listProcesses(store, now)).map(({ id }) => id)).toEqual(['a']);
    await expireProcesses(store, now);
    expect((await rowsOf(store, 'processes')).map(({ id }) => id)).toEqual(['a']);
  });
});
