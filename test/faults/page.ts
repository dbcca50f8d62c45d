// The results of a run as text: a line per fault for the terminal, and the table of docs/proof/faults.md.
import { availableParallelism, hostname, loadavg } from 'node:os';
import { wrongViews, type Row } from './observe.ts';
import { viewNames, type ViewName } from './views.ts';

const longest = 110;

export const minutesSince = (begunMs: number): string => ((Date.now() - begunMs) / 60_000).toFixed(1);

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
  const lines = viewNames.flatMap((view) => {
    const instead = row.lastRead.get(view)?.map((text) => `        instead: ${text}`) ?? ['        no answer'];
    return [`    ${view}: ${cell(row, view).replaceAll('**', '')}`, ...(wrong.includes(view) ? instead : [])];
  });
  const name = `${wrong.length === 0 ? '✓' : '✗'} ${row.name}`;
  return [name, ...lines, `    after healing: ${afterHealing(row)}`].join('\n');
}

function afterHealing({ healSeconds, remaining }: Row): string {
  const rest = remaining.map(shown).join('; ');
  if (healSeconds !== undefined) return `well after ${Math.max(1, Math.round(healSeconds))} s`;
  return rest === '' ? 'well' : `still: ${rest}`;
}

/** The page docs/proof/faults.md with the results of a run that ends now. What a person wrote before them stays. */
export function withResults(page: string, begunMs: number, rows: readonly Row[]): string {
  const begun = new Date(begunMs).toISOString();
  const missing = rows.reduce((sum, row) => sum + wrongViews(row).length, 0);
  const outcome = missing === 0 ? 'every expected report was there' : `${missing} reports missing or wrong`;
  const load = `${availableParallelism()} cores with a load of ${loadavg()[2]?.toFixed(0)} in the last 15 minutes`;
  return `${page.slice(0, page.indexOf('| fault |'))}| fault | ${viewNames.join(' | ')} | after healing |
|---|${viewNames.map(() => '---|').join('')}---|
${rows.map((row) => `| ${[row.name, ...viewNames.map((view) => cell(row, view)), afterHealing(row)].join(' | ')} |`).join('\n')}

${begun.slice(0, 16).replace('T', ' ')} UTC, ${minutesSince(begunMs)} minutes: ${rows.length} faults, ${outcome}. ${load}.
`;
}
