// Jobs that are active at the same time share a transaction, within limits, and each learns the fate of its own group.
import fc from 'fast-check';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createGroupCommit } from '#workers/fold/pipeline/group-commit.ts';
import { runs } from '../../../harness/runs.ts';

const limits = { items: 4, bytes: 1_000 };
const parse = (job: readonly number[]) => ({ items: job, bytes: job.length * 10 });

/** Records the groups; the first one ends when `release` is called. */
function heldCommit() {
  const groups: (readonly number[])[] = [];
  const held = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const commit = async (items: readonly number[]) => {
    groups.push(items);
    begun.resolve();
    if (groups.length === 1) await held.promise;
  };
  return { groups, commit, begun: begun.promise, release: held.resolve, fail: held.reject };
}

describe('group commit', () => {
  it('gathers the jobs that come during a transaction into the next one', async () => {
    const { groups, commit, begun, release } = heldCommit();
    const add = createGroupCommit({ parse, commit }, limits);
    const first = add([1]);
    await begun;
    const others = [add([2]), add([3]), add([4])];
    await sleep(5);
    expect(groups).toEqual([[1]]);
    release();
    await Promise.all([first, ...others]);
    expect(groups).toEqual([[1], [2, 3, 4]]);
  });

  it('closes a group that has reached a limit', async () => {
    const { groups, commit, release } = heldCommit();
    release();
    const add = createGroupCommit({ parse, commit }, limits);
    await Promise.all([[1, 2, 3], [4, 5, 6], [7], [8]].map(add));
    expect(groups).toEqual([
      [1, 2, 3, 4, 5, 6],
      [7, 8],
    ]);
    const large = createGroupCommit(
      { parse: (job: readonly number[]) => ({ items: job, bytes: 1_000 }), commit },
      limits,
    );
    await Promise.all([[9], [10]].map(large));
    expect(groups.slice(2)).toEqual([[9], [10]]);
  });

  it('rejects a job that cannot be parsed, and no other', async () => {
    const { groups, commit, release } = heldCommit();
    release();
    const add = createGroupCommit(
      {
        commit,
        parse: (job: readonly number[]) => {
          if (job.length === 0) throw new Error('empty');
          return parse(job);
        },
      },
      limits,
    );
    const [empty, one] = [add([]), add([1])];
    await expect(empty).rejects.toThrow('empty');
    await one;
    expect(groups).toEqual([[1]]);
  });

  it('commits every item once, in order, whatever the sizes, pauses and failures', async () => {
    const plan = fc.array(fc.record({ size: fc.nat(6), pauseMs: fc.nat(3), fails: fc.boolean() }), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(plan, async (jobs) => {
        const committed: number[] = [];
        let calls = 0;
        const commit = async (items: readonly number[]) => {
          calls += 1;
          await sleep(calls % 2);
          if (jobs[calls % jobs.length]?.fails) throw new Error('no store');
          committed.push(...items);
        };
        const add = createGroupCommit({ parse, commit }, limits);
        const results: Promise<readonly number[]>[] = [];
        let next = 0;
        for (const { size, pauseMs } of jobs) {
          const job = Array.from({ length: size }, () => next++);
          results.push(
            add(job).then(
              () => job,
              () => [],
            ),
          );
          if (pauseMs > 0) await sleep(pauseMs);
        }
        const acknowledged = (await Promise.all(results)).flat();
        expect(committed).toEqual(acknowledged);
      }),
      runs(20),
    );
  });
});
