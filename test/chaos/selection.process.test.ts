// The row of the chaos suite that runs with every test run, and the page that a full run writes.
import { describe, expect, inject, it } from 'vitest';
import { pageOf, type SuiteRun } from './report.ts';
import type { Row } from './scenario.ts';
import { scenarios } from './scenarios.ts';

const seed = 20_261_116;
/** Other tests need the processor too. */
const perSecond = 15;

describe.runIf(inject('redisUrl') && inject('postgresUrl'))('under load, the product survives', () => {
  it('FLUSHALL and kill -9 of a receiver at once', async ({ task }) => {
    const chosen = scenarios.find(({ name, on }) => name === task.name && on === 'Redis + PostgreSQL');
    const { failures, evidence } = (await chosen?.run(seed, perSecond)) ?? {
      failures: ['There is no such row.'],
      evidence: '',
    };
    expect(failures).toEqual([]);
    expect(evidence).not.toBe('');
  });
});

describe('the page of a run', () => {
  const rowsOf = (text: string): string[][] =>
    text
      .split('\n')
      .filter((line) => /^\| (?!fault )/.test(line))
      .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| /, '').trim()));

  it('says of a row that failed, that it failed', () => {
    const verdict = { deliveries: 10, acknowledged: 10, lost: 1, unsent: 0, duplicated: 0, wrong: 0, invented: 0 };
    const row: Row = {
      name: 'a fault',
      on: 'Redis + PostgreSQL',
      seed: 1,
      verdict: { ...verdict, quarantinedWrongly: 0, leaked: [], findings: [] },
      recoveryMs: 1000,
      p99Ms: 10,
      alerts: { expected: 1, reported: 1 },
      evidence: 'a | b',
      seconds: 1,
      failures: ['1 lost'],
      outputs: {},
    };
    const run: SuiteRun = { seed: 1, begun: '2026-01-01', minutes: 1, jobs: 1, rows: [row], notRun: [], failed: [] };
    const [cells] = rowsOf(pageOf([run]));
    expect(cells?.[0]).toBe('**FAILED** a fault');
    expect(pageOf([run])).toContain('a \\| b');
  });
});
