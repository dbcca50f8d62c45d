// The embedded queue.
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { until } from '../../../harness/ports.ts';
import { batchOf, bodiesOf, kill9, open, locations, startChild } from './queue-locations.ts';
import { describeQueue } from './queue-suite.ts';

const ignore = async (): Promise<void> => undefined;

describe('the embedded queue', () => {
  describeQueue('embedded');

  it('rejects adds while the disk is full, loses nothing that it accepted, and continues when there is room', async () => {
    const location = await locations.embedded();
    const child = startChild(location, 'add');
    await until(() => child.lines.some((line) => line.event === 'added'), 'the first is accepted');
    // A limit on the size of its files is what a full disk is to a process; raising it makes room again.
    const limit = (bytes: string) =>
      promisify(execFile)('prlimit', ['--pid', String(child.process.pid), `--fsize=${bytes}:unlimited`]);
    await limit(String(8 * 1024 * 1024));
    await until(() => child.lines.some((line) => line.event === 'rejected'), 'an add is rejected');
    await limit('unlimited');
    const accepted = () => child.lines.filter((line) => line.event === 'added').map((line) => line.body);
    const before = accepted().length;
    await until(() => accepted().length > before + 3, 'adds are accepted again');
    await kill9(child);
    const taken = new Set<string>();
    const queue = await open(location);
    queue.work(async (batch) => void bodiesOf(batch).map((body) => taken.add(body.trim())), ignore, { concurrency: 4 });
    await until(() => accepted().every((body) => taken.has(body)), 'all of them are taken');
    await queue.close();
  });

  it('sets a file aside of which a page is damaged, says so, and begins anew', async () => {
    const location = await locations.embedded();
    const first = await open(location);
    for (const body of ['a', 'b']) await first.add(batchOf(body));
    await first.close();
    const folder = join(location.dataDir, 'queue');
    const path = join(folder, 'jobs.db');
    const file = readFileSync(path);
    file.fill(0xff, 4096, 8192);
    writeFileSync(path, file);
    const damaged: string[] = [];
    const queue = await open({ ...location, onDamaged: (aside) => damaged.push(aside) });
    expect(damaged).toEqual([expect.stringMatching(/queue\/damaged-\d{8}T\d{9}Z-jobs\.db$/)]);
    expect(readFileSync(damaged[0] ?? '')).toEqual(file);
    expect(await queue.depth()).toMatchObject({ waiting: 0 });
    await queue.add(batchOf('c'));
    expect(await queue.depth()).toMatchObject({ waiting: 1 });
    await queue.close();
    await (await open({ ...location, onDamaged: (aside) => damaged.push(aside) })).close();
    expect(damaged).toHaveLength(1);
  });
});
