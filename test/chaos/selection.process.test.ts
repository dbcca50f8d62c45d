// The part of the chaos suite that runs with every test run, and the page that a full run has written.
import { readFileSync } from 'node:fs';
import { describe, expect, inject, it } from 'vitest';
import { pageOf, type SuiteRun } from './report.ts';
import type { Row } from './scenario.ts';
import { scenarios } from './scenarios.ts';

const seed = 20_261_116;
/** Other tests need the processor too. */
const perSecond = 15;
const selection = [
  'kill -9 of a worker, 5 times (Redis + PostgreSQL)',
  'FLUSHALL and kill -9 of a receiver at once (Redis + PostgreSQL)',
  'kill -9 of a worker, 5 times (PostgreSQL alone)',
  'kill -9 of the process, 4 times (embedded)',
];

// One after the other: two installations at once, beside the other tests, would be slower than the time limits of the suite.
describe.runIf(inject('redisUrl') && inject('postgresUrl'))('under load, the product survives', () => {
  it.for(selection)('%s', async (title) => {
    const chosen = scenarios.find(({ name, on }) => `${name} (${on})` === title);
    const { failures, evidence } = (await chosen?.run(seed, perSecond)) ?? {
      failures: ['There is no such row.'],
      evidence: '',
    };
    expect(failures).toEqual([]);
    expect(evidence).not.toBe('');
  });
});

describe('docs/chaos.md', () => {
  const page = readFileSync(new URL('../../docs/chaos.md', import.meta.url), 'utf8');
  const rowsOf = (text: string): string[][] =>
    text
      .split('\n')
      .filter((line) => /^\| (?!fault )/.test(line))
      .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| /, '').trim()));

  it('has every row of the suite in each of its tables, and none that failed', () => {
    const tables = page.split(/^## Seed /m).slice(1);
    expect(tables).not.toEqual([]);
    for (const table of tables) {
      const notRun = [...table.matchAll(/^- (.+) \((.+?)\): /gm)].map(([, name, on]) => `${name} ${on}`);
      const run = rowsOf(table).map(([name, on]) => `${name} ${on}`);
      expect([...run, ...notRun].toSorted()).toEqual(scenarios.map(({ name, on }) => `${name} ${on}`).toSorted());
    }
    expect(page).not.toContain('**FAILED**');
  });

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
