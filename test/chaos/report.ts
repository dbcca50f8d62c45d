// The results of chaos runs as text: a line per row for the terminal, and the tables of docs/proof/chaos.md.
import { execFileSync } from 'node:child_process';
import { availableParallelism, totalmem } from 'node:os';
import { findPostgres } from '../harness/postgres.ts';
import type { Row } from './scenario.ts';

export interface NotRun {
  readonly name: string;
  readonly on: string;
  readonly reason: string;
}

export interface SuiteRun {
  readonly seed: number;
  readonly begun: string;
  readonly minutes: number;
  readonly jobs: number;
  readonly rows: readonly Row[];
  readonly notRun: readonly NotRun[];
  /** Rows that ended without a verdict. */
  readonly failed: readonly NotRun[];
}

const seconds = (ms: number): string => (Number.isFinite(ms) ? (ms / 1000).toFixed(1) : 'never');

export function lineOf({ name, on, verdict, recoveryMs, p99Ms, alerts, seconds: took, failures, seed }: Row): string {
  const { deliveries, lost, duplicated, wrong } = verdict;
  const counts = `${deliveries} sent, ${lost} lost, ${duplicated} duplicated, ${wrong} wrong`;
  const sent = `${alerts.reported} of ${alerts.expected} alerts`;
  const recovery = Number.isFinite(recoveryMs) ? `recovered in ${seconds(recoveryMs)} s` : 'not recovered';
  const times = `${recovery}, p99 ${Math.round(p99Ms)} ms, took ${Math.round(took)} s`;
  const mark = failures.length === 0 ? '✓' : '✗';
  return [
    `${mark} ${name} (${on}), seed ${seed}: ${counts}, ${sent}, ${times}`,
    ...failures.map((each) => `    ${each}`),
  ].join('\n');
}

/** The page docs/proof/chaos.md with the results of these runs. What a person wrote around them stays. */
export const withResults = (page: string, runs: readonly SuiteRun[]): string =>
  page.replace(/^## Seed .*?(?=^## Not tested$)/ms, () => `${runs.map(sectionOf).join('\n')}\n`);

function sectionOf(run: SuiteRun): string {
  const passed = run.rows.filter(({ failures }) => failures.length === 0).length;
  const listed = (title: string, rows: readonly NotRun[]): readonly string[] =>
    rows.length === 0
      ? []
      : [`${title}:\n`, ...rows.map(({ name, on, reason }) => `- ${name} (${on}): ${cell(reason)}`), ''];
  return [
    `## Seed ${run.seed}, ${run.begun.slice(0, 10)}\n`,
    `${passed} of ${run.rows.length + run.failed.length} rows passed in ${run.minutes.toFixed(0)} minutes, ${run.jobs} at a time. ${machine()}\n`,
    '| fault | on | deliveries | acknowledged | lost | duplicated | wrong | alerts | recovery s | p99 ms | seed | evidence |',
    '|---|---|---|---|---|---|---|---|---|---|---|---|',
    ...run.rows.map(tableRow),
    '',
    ...listed('Failed without a verdict', run.failed),
    ...listed('Not run', run.notRun),
  ].join('\n');
}

function tableRow({ name, on, verdict, recoveryMs, p99Ms, alerts, seed, evidence, failures }: Row): string {
  const counts = [verdict.deliveries, verdict.acknowledged, verdict.lost, verdict.duplicated, verdict.wrong];
  const mark = failures.length === 0 ? name : `**FAILED** ${name}`;
  const reported = `${alerts.reported}/${alerts.expected}`;
  const cells = [mark, on, ...counts, reported, seconds(recoveryMs), Math.round(p99Ms), seed, evidence];
  return `| ${cells.map((each) => cell(String(each))).join(' | ')} |`;
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ').trim();

function machine(): string {
  const version = (program: string, ...args: readonly string[]): string => {
    try {
      const text = execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
      return /\d+\.\d+(\.\d+)?/.exec(text)?.[0] ?? '?';
    } catch {
      return 'not here';
    }
  };
  const postgres = version(`${findPostgres() ?? ''}/postgres`, '--version');
  return `${availableParallelism()} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}, Redis ${version('redis-server', '--version')}, PostgreSQL ${postgres}.`;
}
