// The results of chaos runs as text: a line per row for the terminal, and the page docs/proof/chaos.md.
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

export function pageOf(runs: readonly SuiteRun[]): string {
  return [head, ...runs.map(sectionOf), notTested].join('\n');
}

const head = `# Chaos

This page is written by \`npm run chaos\`. The suite starts the product as real processes (two receivers and three workers, or the single process of the default), sends signed deliveries at a steady rate (30 per second; 60 for hot rows, 20 beside a burst), injects one
fault per row, and compares log and rows with a model that shares no code with the product.

\`\`\`
npm run chaos                            # all rows, one at a time; writes this page
npm run chaos -- --runs 2 --jobs 2       # two runs, two rows at a time: as this page was made
npm run chaos -- --list                  # names the rows
npm run chaos -- --seed 42 "kill -9"     # the rows with this in their name, with the deliveries and choices of this seed
\`\`\`

It needs Redis and PostgreSQL; some rows also need PgBouncer, strace, libfaketime and root (Debian: \`apt-get install redis-server redis-sentinel postgresql pgbouncer sqlite3 strace faketime\`). A row that a machine cannot run is listed as
not run.

**The sender** is the service as the receiver sees it: 5 % of the deliveries come twice, 30 % are shuffled within two seconds, and what is not answered with 2xx within eight seconds is sent again with back-off. Three no-shows a second come beside them; these, and the deliveries of a burst, come once and in order.

**The oracle** passes a row only if:

- (A) every delivery that was answered with 2xx is in the log exactly once, or quarantined with a reason;
- (B) nothing is missing after the sender's retries;
- (C) every row of every table that deliveries fill equals the model (without the columns that hold versions);
- (D) no secret and no personal data is in what the processes printed (what a command answers its operator is left out: it may name people);
- every no-show that was marked during the run is reported to a webhook under one key (column *alerts*), and nothing else is reported;
- every process runs and is ready in the end;
- (E) the fault happened: the column *evidence* says what was observed.

*Recovery* is the time from the end of the fault until at most two seconds of load (at least 60 deliveries) are acknowledged and not yet in the log. *p99* is of answers with 2xx. The oracle has tests of its own, which plant losses, duplicates and wrong rows.
`;

function sectionOf(run: SuiteRun): string {
  const passed = run.rows.filter(({ failures }) => failures.length === 0).length;
  const wrong = run.failed.map(({ name, on, reason }) => `- **${name}** (${on}): ${cell(reason)}`);
  return [
    `## Seed ${run.seed}, ${run.begun.slice(0, 10)}\n`,
    `${passed} of ${run.rows.length + run.failed.length} rows passed in ${run.minutes.toFixed(0)} minutes, ${run.jobs} at a time. ${machine()}\n`,
    '| fault | on | deliveries | acknowledged | lost | duplicated | wrong | alerts | recovery s | p99 ms | seed | evidence |',
    '|---|---|---|---|---|---|---|---|---|---|---|---|',
    ...run.rows.map(tableRow),
    '',
    ...(wrong.length > 0 ? ['Failed without a verdict:\n', ...wrong, ''] : []),
    ...(run.notRun.length > 0
      ? ['Not run:\n', ...run.notRun.map(({ name, on, reason }) => `- ${name} (${on}): ${cell(reason)}`), '']
      : []),
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

const notTested = `## Not tested

- A power cut. \`kill -9\` loses no data that the kernel has; torn and lost writes are simulated in process ([testing.md](testing.md)).
- More than one machine: all processes share a clock (except where a row changes it), a disk and a kernel. Network partitions are connections that pass nothing.
- A full disk of Redis or of PostgreSQL, and every fault on every installation: the column *on* says where it was tried.
- PostgreSQL failover to a replica, and a managed PostgreSQL.
- The packages of the previous release: the row about an upgrade uses those of today.
- Outages of more than 30 seconds (15 seconds for PostgreSQL beside Redis), and a service that stops its retries.
`;
