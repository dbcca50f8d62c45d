// The comparison as tables in Markdown, with the spread of the rounds.
import { median } from '../measure.ts';
import type { Latency } from './latency.ts';
import type { Mode } from './modes.ts';
import type { Driven, Subject, SubjectName } from './subjects.ts';

export interface Rounds extends Mode {
  readonly driven: Readonly<Record<SubjectName, readonly Driven[]>>;
}

export interface Shares {
  readonly subject: Subject;
  readonly shares: Readonly<Record<string, number>>;
}

export interface Report {
  readonly subjects: readonly Subject[];
  readonly measured: readonly Rounds[];
  readonly latency: Latency;
  readonly shares: readonly Shares[];
}

export function reportTables({ subjects, measured, latency, shares }: Report): string {
  const parts = measured.map(({ name, about, driven }) =>
    table(
      `${name}: ${about}`,
      ['', 'committed/s', 'responses/s', 'CPU µs per event', 'p99 of the response, ms'],
      subjects.map(({ name, title }) => [
        title,
        spread(driven[name].map(({ committedPerSecond }) => committedPerSecond)),
        spread(driven[name].map(({ respondedPerSecond }) => respondedPerSecond)),
        spread(driven[name].map(({ cpuUs }) => cpuUs)),
        spread(driven[name].map(({ p99Ms }) => p99Ms)),
      ]),
    ),
  );
  const waits = table(
    `request to committed row, hot: ours at ${Math.round(latency.perSecond)}/s (${latency.samples} samples), the engines at their highest rate`,
    ['', 'p99, ms'],
    subjects.map(({ name, title }) => [title, latency.p99Ms[name].toFixed(1)]),
  );
  const right = table(
    'rows that end in the right state',
    ['', ...Object.keys(shares[0]?.shares ?? {})],
    shares.map(({ subject, shares: each }) => [
      subject.title,
      ...Object.values(each).map((share) => `${Math.round(share * 1000) / 10} %`),
    ]),
  );
  return [...parts, waits, right].join('\n');
}

function table(title: string, head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
  return `\n${title}\n\n${line(head)}${line(head.map(() => '---'))}${rows.map(line).join('')}`;
}

/** Median, least and most. */
export function spread(values: readonly number[]): string {
  const [middle, least, most] = [median(values), Math.min(...values), Math.max(...values)].map((value) =>
    Number(value.toPrecision(3)).toLocaleString('en'),
  );
  return `${middle} (${least}–${most})`;
}
