// What becomes of the processes that read when the process that started them is killed.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { it } from 'vitest';
import { endWithThisProcess } from '../../../harness/children.ts';
import { eventually } from '../../../harness/moments.ts';
import { readersOf } from '../../../harness/reading.ts';
import { availableEngines } from '../../../harness/stores.ts';

it.each(availableEngines)(
  'a search without an end ends with the process that asked for it, on $name',
  async ({ fresh }) => {
    await using opened = await fresh();
    const { url } = opened;
    const child = endWithThisProcess(fork(new URL('reading-child.ts', import.meta.url), [url], { execArgv: [] }));
    await once(child, 'message');
    await eventually(() => readersOf(url)).toHaveLength(1);
    child.kill('SIGKILL');
    await eventually(() => readersOf(url)).toEqual([]);
  },
);
