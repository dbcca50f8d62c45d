// Injects the faults of a group, reads every view until each that must report them has done so or 30 s have passed, heals them, and
// waits until all is well again.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Installation } from './installation.ts';
import type { Fault } from './rows.ts';
import { readers, viewNames, type ViewName } from './views.ts';

/** What a view reported about a fault first, and when. */
export interface Report {
  readonly text: string;
  readonly seconds: number;
}

export interface Row {
  readonly name: string;
  readonly expected: readonly ViewName[];
  readonly reports: ReadonlyMap<ViewName, Report>;
  /** All that is new in each view, as it was read last. */
  readonly lastRead: ReadonlyMap<ViewName, readonly string[]>;
  /** From the end of the fault until no view reported anything new; undefined when that took too long. */
  readonly healSeconds: number | undefined;
  /** What was reported then. */
  readonly remaining: readonly string[];
}

const limitSeconds = 30;
const healLimitSeconds = 45;

/** Views that reported nothing although they must, or something although they must not. */
export const wrongViews = ({ expected, reports }: Pick<Row, 'expected' | 'reports'>): readonly ViewName[] =>
  viewNames.filter((view) =>
    expected.length === 0 ? reports.has(view) : expected.includes(view) && !reports.has(view),
  );

/** `earlier`: what was reported before and does not count. */
export async function observe(
  installation: Installation,
  faults: readonly Fault[],
  earlier: readonly string[],
): Promise<readonly Row[]> {
  const reports = faults.map(() => new Map<ViewName, Report>());
  const lastRead = new Map<ViewName, readonly string[]>();
  const injected: Fault[] = [];
  const reads: Promise<unknown>[] = [];
  installation.recipient.received.splice(0);
  try {
    for (const fault of faults) {
      injected.push(fault);
      await fault.inject(installation);
    }
    await watch();
  } finally {
    for (const fault of injected) await fault.heal?.(installation);
  }
  await Promise.all(reads);
  const { seconds, remaining } = await waitUntilWell(installation, earlier, faults);
  return faults.map((fault, at) => ({
    name: fault.name,
    expected: fault.expected,
    reports: reports[at] ?? new Map(),
    lastRead,
    healSeconds: seconds,
    remaining,
  }));

  async function watch(): Promise<void> {
    const fromMs = Date.now();
    const untilMs = fromMs + Math.max(...faults.map(({ seconds = limitSeconds }) => seconds)) * 1000;
    const isQuiet = faults.some(({ expected }) => expected.length === 0);
    const isOver = (): boolean =>
      Date.now() >= untilMs ||
      (!isQuiet && faults.every((fault, at) => fault.expected.every((view) => reports[at]?.has(view))));
    const watchView = async (view: ViewName): Promise<void> => {
      for (; !isOver(); await sleep(pauseMs(view))) {
        const read = readers[view](installation).catch((): readonly string[] => []);
        reads.push(read);
        const answer = await Promise.race([read, sleep(Math.max(0, untilMs - Date.now()), undefined, { ref: false })]);
        const statements = newStatements(answer ?? [], earlier);
        if (answer !== undefined) lastRead.set(view, statements);
        for (const [at, fault] of faults.entries()) {
          const text = statements.find((statement) => isAbout(fault, installation, view, statement));
          const seconds = (Date.now() - fromMs) / 1000;
          if (text !== undefined && !reports[at]?.has(view)) reports[at]?.set(view, { text, seconds });
        }
      }
    };
    await Promise.all(viewNames.map(watchView));
  }
}

/** A command takes a second of the processor. */
const pauseMs = (view: ViewName): number => (view === 'status' || view === 'doctor' ? 3_000 : 1_000);

function isAbout(fault: Fault, installation: Installation, view: ViewName, statement: string): boolean {
  if (fault.pattern === undefined) return !(view === 'Prometheus' && statement.includes(', pending:'));
  const part = fault.part?.(installation);
  if (view === 'Prometheus')
    return (fault.rule?.test(statement) ?? false) && statement.includes(part ? new URL(part.admin).host : '');
  return fault.pattern.test(statement) && statement.includes(part ? String(part.pid()) : '');
}

const newStatements = (statements: readonly string[], earlier: readonly string[]): readonly string[] => {
  const old = new Set(earlier.map(withoutNumbers));
  return statements.filter((statement) => !old.has(withoutNumbers(statement)));
};

/** The same statement a moment later has other counts and times. */
const withoutNumbers = (statement: string): string => statement.replaceAll(/\d[\d:.,TZ-]*( (ms|s|min|h)\b)?/g, '#');

export async function waitUntilWell(
  installation: Installation,
  earlier: readonly string[],
  faults: readonly Fault[] = [],
): Promise<{ readonly seconds: number | undefined; readonly remaining: readonly string[] }> {
  const fromMs = Date.now();
  for (;;) {
    const [rules, ...others] = await Promise.all(
      (['Prometheus', 'first page', 'status', 'doctor'] as const).map((view) => readers[view](installation)),
    );
    // Other rules look at the last minutes.
    const own = rules?.filter((text) => faults.some(({ rule }) => rule?.test(text)));
    const remaining = [...others.flat(), ...(own ?? [])];
    const seconds = (Date.now() - fromMs) / 1000;
    if (newStatements(remaining, earlier).length === 0) return { seconds, remaining };
    if (seconds > healLimitSeconds) return { seconds: undefined, remaining };
    await sleep(2_000);
  }
}
