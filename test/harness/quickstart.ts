// Runs the commands of a quickstart as a reader does, at a terminal in a fresh folder, and compares what is printed with the page.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { endWithThisProcess } from './children.ts';
import { until } from './ports.ts';
import { productMain } from './running-verb.ts';

export interface Step {
  /** `sh`, `sh stays` (runs until Ctrl-C), `sh again` (repeated until it prints what the page says), or where a message arrives. */
  readonly kind: string;
  readonly text: string;
  /** What the page shows below the command. */
  readonly shown: string;
}

/** The blocks of code of a page. A command without its output is a mistake of the page. */
export function stepsOf(page: string): readonly Step[] {
  const blocks = [...page.matchAll(/^```([^\n]*)\n([^]*?)^```$/gm)].map(([, kind = '', text = '']) => ({ kind, text }));
  return blocks.flatMap(({ kind, text }, index) => {
    if (kind === '') return [];
    if (!kind.startsWith('sh')) return [{ kind, text, shown: text }];
    const next = blocks[index + 1];
    if (next?.kind !== '') throw new Error(`No output is shown for: ${text}`);
    return [{ kind, text, shown: next.text }];
  });
}

/** The first line of `shown` that `printed` lacks, in their order. `…` is any text; times and the width of columns differ. */
export function missingLine(shown: string, printed: string): string | undefined {
  let rest = stripVTControlCharacters(printed).replaceAll('\r', '');
  return shown
    .split('\n')
    .filter((line) => line.trim() !== '')
    .find((line) => {
      const found = new RegExp(patternOf(line)).exec(rest);
      if (found !== null) rest = rest.slice(found.index + found[0].length);
      return found === null;
    });
}

const patternOf = (line: string): string =>
  line
    .trim()
    .split(/\s+/)
    .map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('…', '[^\\n]*'))
    .map((word) => word.replaceAll(/\d\d:\d\d:\d\d|\d{4}-\d\d-\d\d/g, (time) => time.replaceAll(/\d/g, '\\d')))
    .join('[^\\S\\n]+');

/** `replaced` are the addresses on the page, and those that are used instead. */
export function openReader(env: Readonly<Record<string, string>>, replaced: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), 'quickstart-'));
  symlinkSync(dirname(productMain), join(folder, 'bin'));
  const open = new Set<ChildProcess>();
  const own = (text: string): string =>
    Object.entries(replaced).reduce((changed, [from, to]) => changed.replaceAll(from, to), text);

  const type = (command: string) => {
    const child = endWithThisProcess(
      spawn('/usr/bin/script', ['-qfec', `set -eu\n${own(command)}`, '/dev/null'], {
        env: { ...env, PATH: `${dirname(process.execPath)}:${env['PATH'] ?? ''}`, SHELL: '/bin/sh', TERM: 'dumb' },
        cwd: folder,
        stdio: ['pipe', 'pipe', 'inherit'],
      }),
    );
    let printed = '';
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => (printed += chunk));
    child.stdin?.on('error', () => {});
    open.add(child);
    const ended = once(child, 'close').then(() => open.delete(child));
    return { child, ended, printed: () => printed };
  };

  return {
    async run({ kind, text, shown }: Step): Promise<void> {
      let printed = '';
      const isRight = (): boolean => missingLine(own(shown), printed) === undefined;
      if (kind === 'sh stays') {
        const typed = type(text);
        await until(() => {
          printed = typed.printed();
          return isRight() || !open.has(typed.child);
        }, `${text} prints what the page says`);
      } else
        for (
          const lastAt = Date.now() + 60_000;
          printed === '' || (kind === 'sh again' && !isRight() && Date.now() < lastAt);
        ) {
          const typed = type(text);
          await typed.ended;
          printed = typed.printed();
        }
      const missing = missingLine(own(shown), printed);
      if (missing !== undefined) throw new Error(`$ ${own(text)}\n${printed}\nThe page says: ${missing}`);
    },
    async [Symbol.asyncDispose]() {
      // The newest first: what others use ends last. As a reader does, with Ctrl-C.
      for (const child of [...open].toReversed()) {
        child.stdin?.write('\u0003');
        if (child.exitCode === null) await once(child, 'close');
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
