// The committed figures: the list of files that each promise reaches, the table of docs/architecture.md, and what has risen since.
import { basename, dirname } from 'node:path';
import type { Figure, Promised } from './promises.ts';

const inWords = (count: number): string => count.toLocaleString('en');

/** A figure may rise by so much before it has to be committed. */
const allowedRise = 0.02;

/** One sentence for each promise that reaches more than was committed. */
export function risen(committed: readonly Figure[], today: readonly Figure[]): readonly string[] {
  const before = new Map(committed.map((figure) => [figure.promise, figure]));
  return today.flatMap(({ promise, lines, files }) => {
    const old = before.get(promise);
    if (!old) return [`${promise}: it has no committed figure`];
    if (lines <= old.lines * (1 + allowedRise)) return [];
    const added = files.filter((path) => !old.files.includes(path));
    const named = added.length === 0 ? 'no file is new' : `new are ${added.join(', ')}`;
    return [`${promise}: from ${inWords(old.lines)} to ${inWords(lines)} lines; ${named}`];
  });
}

/** The text of `figures.txt`: files in lines of a folder each. */
export const figuresText = (figures: readonly Figure[]): string =>
  figures
    .map(({ promise, lines, byImports, declared, behind, files }) => {
      const folders = Map.groupBy(files, (path) => dirname(path));
      const listed = [...folders].map(
        ([folder, paths]) => `${folder}: ${paths.map((path) => basename(path)).join(' ')}`,
      );
      const counts = `lines ${lines}, by imports ${byImports}, declarations ${declared}, behind contracts ${behind.files} files ${behind.lines} lines`;
      return `# ${promise}\n${counts}\n${listed.join('\n')}\n`;
    })
    .join('\n');

export function readFigures(text: string): readonly Figure[] {
  return text.split(/^# /m).flatMap((part) => {
    const [promise = '', counts = '', ...listed] = part.trim().split('\n');
    const [lines = 0, byImports = 0, declared = 0, behindFiles = 0, behindLines = 0] =
      counts.match(/\d+/g)?.map(Number) ?? [];
    const files = listed.flatMap((line) => {
      const [folder = '', names = ''] = line.split(': ');
      return names.split(' ').map((name) => `${folder}/${name}`);
    });
    if (promise === '') return [];
    return [{ promise, lines, byImports, declared, behind: { files: behindFiles, lines: behindLines }, files }];
  });
}

const begin = '<!-- reach: made by `npm run reach` -->';
const end = '<!-- /reach -->';

/** docs/architecture.md with these figures in its table. */
export function withReachTable(page: string, promises: readonly Promised[], figures: readonly Figure[]): string {
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/architecture.md lacks the marks ${begin} … ${end}`);
  return `${page.slice(0, from)}${begin}\n${reachTable(promises, figures)}\n${page.slice(to)}`;
}

export function reachTable(promises: readonly Promised[], figures: readonly Figure[]): string {
  const found = new Map(figures.map((figure) => [figure.promise, figure]));
  const rows = promises.flatMap((one) => {
    const figure = found.get(one.promise);
    return figure ? [rowOf(one, figure)] : [];
  });
  return [
    '| promise | begins at | files | lines | of these by imports alone | declarations, in lines | behind contracts | goal, in lines |',
    '|---|---|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

function rowOf({ promise, entries, goal, beside, note }: Promised, figure: Figure): string {
  const { lines, byImports, declared, behind, files } = figure;
  const isBeside = beside === undefined ? [] : ['beside the fold'];
  const cells = [
    promise,
    entries.map((entry) => `\`${entry}\``).join(', '),
    inWords(files.length),
    inWords(lines),
    byImports === lines ? 'all' : inWords(byImports),
    inWords(declared),
    behind.files === 0 ? '–' : `${behind.files} files, ${inWords(behind.lines)} lines`,
    [inWords(goal), ...isBeside, ...(note === undefined ? [] : [note])].join(' '),
  ];
  return `| ${cells.join(' | ')} |`;
}
