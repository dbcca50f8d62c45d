// A moment as it is written everywhere.
import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { instantOf } from '#src/base/time.ts';

describe('a moment', () => {
  it('is written in UTC with six digits, so that moments sort as texts', () => {
    expect(instantOf(Date.UTC(2025, 3, 14, 11, 43, 10, 7))).toBe('2025-04-14T11:43:10.007000Z');
    expect(instantOf(new Date('2025-04-14T13:43:10+02:00'))).toBe('2025-04-14T11:43:10.000000Z');
  });

  it('is written in one place', () => {
    const others = globSync(['src/**/*.ts', 'workers/**/*.ts', 'bench/**/*.ts'])
      // The sandbox is a program of its own, and alerts have a clock of theirs.
      .filter((path) => !/^src\/sandbox\/|^src\/base\/time|^workers\/alerts\//.test(path))
      .filter((path) => readFileSync(path, 'utf8').includes(`'000Z'`));
    expect(others).toEqual([]);
  });
});
