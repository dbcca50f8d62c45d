// The results of a run as text: a line per fault for the terminal, and the page docs/proof/faults.md.
import { availableParallelism, hostname, loadavg } from 'node:os';
import type { Conditions } from './installation.ts';
import { wrongViews, type Row } from './observe.ts';
import { viewNames, type ViewName } from './views.ts';

const longest = 110;

/** Names of this machine are replaced, and the sentence is shortened. */
function shown(text: string): string {
  const plain = text
    .replaceAll(hostname(), 'HOST')
    .replaceAll(/\S*slotstream-chaos-\S*?(?=\.?(\s|$))/g, 'FOLDER')
    .replaceAll(/^✗ /g, '')
    .replaceAll(/\S*\/bin\/slotstream\b/g, 'slotstream')
    .replaceAll(/(pid |HOST \()\d+/g, '$1PID')
    .replaceAll('|', '/');
  return plain.length > longest ? `${plain.slice(0, longest).trimEnd()} …` : plain;
}

function cell(row: Row, view: ViewName): string {
  const report = row.reports.get(view);
  const isWrong = wrongViews(row).includes(view);
  const text = report ? `${shown(report.text)} · ${Math.max(1, Math.round(report.seconds))} s` : 'nothing';
  if (isWrong) return `**wrong: ${text}**`;
  return report || row.expected.length === 0 ? text : '–';
}

export function lineOf(row: Row): string {
  const wrong = wrongViews(row);
  const instead = (view: ViewName): string =>
    wrong.includes(view)
      ? (row.lastRead
          .get(view)
          ?.map((text) => `\n        instead: ${text}`)
          .join('') ?? '\n        no answer')
      : '';
  const cells = viewNames.map((view) => `    ${view}: ${cell(row, view).replaceAll('**', '')}${instead(view)}`);
  return [`${wrong.length === 0 ? '✓' : '✗'} ${row.name}`, ...cells, `    after healing: ${afterHealing(row)}`].join(
    '\n',
  );
}

function afterHealing({ healSeconds, remaining }: Row): string {
  const rest = remaining.map(shown).join('; ');
  if (healSeconds !== undefined) return `well after ${Math.max(1, Math.round(healSeconds))} s`;
  return rest === '' ? 'well' : `still: ${rest}`;
}

export interface Run {
  readonly begun: string;
  readonly minutes: number;
  readonly rows: readonly Row[];
}

export function pageOf(
  { begun, minutes, rows }: Run,
  { shortened, scrapeSeconds, activitiesPerSecond }: Conditions,
): string {
  const settings = Object.entries(shortened).map(([name, value]) => `\`${name}=${value}\``);
  const missing = rows.reduce((sum, row) => sum + wrongViews(row).length, 0);
  return `# Faults, and what reports them

This page is written by \`npm run faults\`. It starts Redis, PostgreSQL, the sandbox with ${activitiesPerSecond} activities a second, two \`receive\` and three \`work\` processes with a \`DATA_DIR\` each, a recipient of alerts (\`ALERT_WEBHOOK_URL\`) and a Prometheus with [the example rules](../examples/prometheus-rules.yml).
Then it injects one fault after another, and writes down what each view reports, and how many seconds after the fault. After 30 s a view that must report the fault and does not is marked as **wrong**, and the command ends with exit code 1.

\`\`\`
npm run faults                   # all faults; writes this page
npm run faults -- "clock" disk   # the faults with this in their name
npm run faults -- --list         # names the faults
\`\`\`

It needs root (for small disks), Redis, PostgreSQL, Prometheus and libfaketime (Debian: \`apt-get install redis-server postgresql prometheus faketime\`).

- **First page**: of a worker without a fault of its own; of a receiver where no worker answers.
- **\`status\`, \`doctor\`**: the line, and the exit code. \`status\` runs in the data folder of a worker, \`doctor\` in that of a receiver, never in that of the process with the fault.
- **Alert**: what the recipient accepted. Without a worker or PostgreSQL nothing can be sent: Prometheus covers this.
- **Prometheus**: the rule, pending until its \`for\` has passed. There is no rule about scheduled jobs and clocks.
- **nothing**: nothing that names this fault; where only a consequence is reported (deliveries fail, batches wait), this is not enough.
- **–**: this view need not report the fault, and did not before the others had.

Periods are shortened by settings: ${settings.join(' and ')}, and Prometheus scrapes and evaluates every ${scrapeSeconds} s. With the defaults, subscriptions are checked every 5 minutes and the conditions of alerts every minute.

| fault | ${viewNames.join(' | ')} | after healing |
|---|${viewNames.map(() => '---|').join('')}---|
${rows.map((row) => `| ${[row.name, ...viewNames.map((view) => cell(row, view)), afterHealing(row)].join(' | ')} |`).join('\n')}

${begun.slice(0, 16).replace('T', ' ')} UTC, ${minutes.toFixed(1)} minutes: ${rows.length} faults, ${missing === 0 ? 'every expected report was there' : `${missing} reports missing or wrong`}. ${availableParallelism()} cores with a load of ${loadavg()[2]?.toFixed(0)} in the last 15 minutes.
`;
}
