// The page that shows what was proven of the sandbox, made from the tests that prove it; a test checks that it is current.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ClientResults, resultLines } from '../test/clients/results.ts';

interface Row {
  readonly where: string;
  readonly what: string;
  /** The assumption it rests on, where the specification is silent; or that it is an exception. */
  readonly note?: string;
}

export interface Chapter {
  readonly title: string;
  readonly file: string;
  readonly rows: readonly Row[];
}

export function readRows(folder: string): readonly Chapter[] {
  return globSync('*.test.ts', { cwd: folder })
    .toSorted()
    .map((file) => readChapter(file, readFileSync(join(folder, file), 'utf8')));
}

export function readChapter(file: string, source: string): Chapter {
  const [, title] = /^\/\/ Conformance: (.+?)\.?\n/.exec(source) ?? [];
  if (title === undefined) throw new Error(`${file} does not open with "// Conformance: …".`);
  const rows: Row[] = [];
  let isInTable = false;
  for (const [index, line] of source.split('\n').entries()) {
    if (isInTable && startsEntry.test(line)) rows.push(rowOf(line, `${file}:${index + 1}`));
    if (line.startsWith('rows(')) isInTable = true;
    else if (line.startsWith('}')) isInTable = false;
  }
  return { title, file, rows };
}

/** What the last run of `npm run clients` found. */
export const readClients = (file: string): ClientResults => JSON.parse(readFileSync(file, 'utf8')) as ClientResults;

/** The formatter indents every entry of a table by two spaces, and what belongs to an entry by more. */
const startsEntry = /^ {2}[^\s})/]/;

function rowOf(line: string, place: string): Row {
  const [, single, double] = stringKey.exec(line) ?? [];
  const [where, what, note, ...more] = (single ?? double ?? '').replaceAll(/\\(.)/g, '$1').split(' | ');
  if (where === undefined || what === undefined || more.length > 0)
    throw new Error(
      `${place}: the key is not a plain "where | what" or "where | what | note", so the row cannot be read.`,
    );
  return { where, what, ...(note === undefined ? {} : { note }) };
}

const stringKey = /^ {2}(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"):(?: |$)/;

export function conformancePage(chapters: readonly Chapter[], clients: ClientResults): string {
  const rows = chapters.flatMap((chapter) => chapter.rows);
  const assumptions = rows.filter(({ note = 'exception' }) => note !== 'exception').length;
  return [
    '# Conformance: what the specification says, and the sandbox does',
    '',
    `${rows.length} rows, one a sentence of the specification; ${assumptions} of them are ours, where the specification is silent, and name the`,
    'numbered [assumption](../../schemas/README.md#assumptions) they rest on. Each row is a test of its own: `npx vitest run test/conformance`.',
    'This page is made from those tests by `npm run conformance`, and a test fails when it is out of date.',
    '',
    'The rows are about the form of the specification, which is the default. [sandbox.md](../sandbox.md#the-public-form) lists where the public form differs.',
    '',
    ...exceptionLines(rows.filter(({ note }) => note === 'exception')),
    ...resultLines(clients),
    ...chapters.flatMap(chapterLines),
  ].join('\n');
}

function exceptionLines(rows: readonly Row[]): readonly string[] {
  if (rows.length === 0) return [];
  return [
    '## Exceptions',
    '',
    'What the specification says and a simulation does not do. The rows are repeated in their chapters.',
    '',
    '| where | what the sandbox does |',
    '|---|---|',
    ...rows.map(({ where, what }) => `| ${cell(where)} | ${cell(what)} |`),
    '',
  ];
}

function chapterLines({ title, file, rows }: Chapter): readonly string[] {
  return [
    `## ${title.charAt(0).toUpperCase()}${title.slice(1)}`,
    '',
    `[${rows.length} rows](../../test/conformance/${file})`,
    '',
    '| where | what holds | assumption |',
    '|---|---|---|',
    ...rows.map(({ where, what, note = '' }) => `| ${cell(where)} | ${cell(what)} | ${note} |`),
    '',
  ];
}

/** Angle brackets outside of code would be taken for HTML. */
function cell(text: string): string {
  const parts = text.replaceAll('|', '\\|').split('`');
  return parts.map((part, index) => (index % 2 === 0 ? part.replaceAll('<', '&lt;') : part)).join('`');
}
