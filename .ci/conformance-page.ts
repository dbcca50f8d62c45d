// The page that shows what was proven of the sandbox, made from the tests that prove it; a test checks that it is current.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Row {
  readonly where: string;
  readonly what: string;
  /** The assumption it rests on, where the specification is silent. */
  readonly assumption?: string;
  /** Says what the sandbox does in place of what the specification says. */
  readonly isException?: true;
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
  const calls = [...source.matchAll(/\b(sentence|assumed|exception)\s*\(/g)];
  return { title, file, rows: calls.map((call) => rowOf(call, { file, source })) };
}

function rowOf(call: RegExpExecArray, { file, source }: { file: string; source: string }): Row {
  const line = source.slice(0, call.index).split('\n').length;
  const complain = (why: string): never => {
    throw new Error(`${file}:${line}: ${why}, so the row cannot be read.`);
  };
  const before = source.slice(source.lastIndexOf('\n', call.index) + 1, call.index);
  if (before.trim() !== '') complain('the call is not a statement of its own');
  const wanted = call[1] === 'assumed' ? 3 : 2;
  const texts: string[] = [];
  let at = call.index + call[0].length;
  while (texts.length < wanted) {
    const literal = stringLiteral.exec(source.slice(at));
    if (literal === null) return complain(`argument ${texts.length + 1} is not a plain string`);
    texts.push(unescaped(literal[1] ?? literal[2] ?? ''));
    at += literal[0].length;
  }
  const [where = '', what = ''] = texts.slice(-2);
  if (wanted === 3) return { where, what, assumption: texts[0] ?? '' };
  return call[1] === 'exception' ? { where, what, isException: true } : { where, what };
}

/** One argument up to its comma: a quoted string on its own, neither a template nor the beginning of an expression. */
const stringLiteral = /^\s*(?:'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)")\s*,/;

const unescaped = (text: string): string => text.replaceAll(/\\(.)/g, '$1');

export function conformancePage(chapters: readonly Chapter[]): string {
  const rows = chapters.flatMap((chapter) => chapter.rows);
  const assumptions = rows.filter(({ assumption }) => assumption !== undefined).length;
  return [
    '# Conformance: what the specification says, and the sandbox does',
    '',
    `${rows.length} rows, one a sentence of the specification; ${assumptions} of them are ours, where the specification is silent, and name the`,
    'numbered [assumption](../schemas/README.md#assumptions) they rest on. Each row is a test of its own: `npx vitest run test/conformance`.',
    'This page is made from those tests by `npm run conformance`, and a test fails when it is out of date.',
    '',
    'The rows are about the form of the specification, which is the default. [sandbox.md](sandbox.md#the-public-form) lists where the public form differs.',
    '',
    ...exceptionLines(rows.filter(({ isException }) => isException)),
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
    `[${rows.length} rows](../test/conformance/${file})`,
    '',
    '| where | what holds | assumption |',
    '|---|---|---|',
    ...rows.map(({ where, what, assumption, isException }) => {
      const note = isException ? 'exception' : (assumption ?? '');
      return `| ${cell(where)} | ${cell(what)} | ${note} |`;
    }),
    '',
  ];
}

/** Angle brackets outside of code would be taken for HTML. */
function cell(text: string): string {
  const parts = text.replaceAll('|', '\\|').split('`');
  return parts.map((part, index) => (index % 2 === 0 ? part.replaceAll('<', '&lt;') : part)).join('`');
}
