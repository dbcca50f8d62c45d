import { describe, expect } from 'vitest';
import { expireProcesses, listProcesses, removeProcess, writeProcess } from '#src/store/processes.ts';
import { processRow } from '../../harness/data/process-row.ts';
import { rowsOf, availableEngines, testWith } from '../../harness/stores.ts';

const now = Date.parse('2026-01-01T12:00:00Z');
const row = processRow({ role: 'work', journal_full: false, lag_p50_ms: 40, machine: '{}' });

describe.each(availableEngines)('the rows of processes on $name', ({ fresh }) => {
  const it = testWith(fresh);

  it('are replaced, removed at a stop, and deleted an hour after a kill', async ({ store }) => {
    await writeProcess(store, { ...row, queue_waiting: 1 });
    await writeProcess(store, row);
    expect(await listProcesses(store, now)).toEqual([row]);
    await removeProcess(store, 'a');
    expect(await listProcesses(store, now)).toEqual([]);
    await writeProcess(store, { ...row, seen_at: '2026-01-01T11:00:00.000000Z' });
    await writeProcess(store, { ...row, id: 'b', seen_at: '2026-01-01T10:59:59.000000Z' });
    expect((await listProcesses(store, now)).map(({ id }) => id)).toEqual(['a']);
    await expireProcesses(store, now);
    expect((await rowsOf(store, 'processes')).map(({ id }) => id)).toEqual(['a']);
  });
});
