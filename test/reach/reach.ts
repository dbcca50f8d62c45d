// Which files of the program others reach: those that they import, those that these import, and what the composition root hands in to them.
import { handedIn } from './handed-in.ts';
import { readModules, type Sources } from './modules.ts';
import type { Composition } from './passed-on.ts';
import { fileOfToken } from './values.ts';

export interface ReachRules extends Composition {
  /** Counted apart, and not followed, unless the promise begins there. */
  readonly isBorder: (path: string) => boolean;
  /** Counted apart. */
  readonly isDeclaration: (path: string) => boolean;
}

export interface Reached {
  readonly files: ReadonlySet<string>;
  readonly declarations: ReadonlySet<string>;
  /** The borders, and what they import. */
  readonly behindBorders: ReadonlySet<string>;
}

export interface Program {
  reach(entries: readonly string[], how?: { readonly followsHanded?: boolean }): Reached;
  linesOf(files: Iterable<string>): number;
  /** The files of a folder, or the file. */
  filesIn(entry: string): readonly string[];
}

export function readProgram(sources: Sources, rules: ReachRules): Program {
  const modules = readModules(sources);
  const handed = handedIn(modules, rules);
  const importsOf = (path: string): Iterable<string> => modules.get(path)?.imports ?? [];
  const calls = [...handed.keys()];

  /** To an export, whatever the root hands in to any call of it. */
  function handedTo(token: string): readonly string[] {
    const called = token.endsWith('#*') ? token.slice(0, -1) : `${token}@`;
    const all = token.includes('@') ? [token] : calls.filter((call) => call.startsWith(called));
    return all.flatMap((call) => [...(handed.get(call) ?? [])]);
  }

  /** Every file that can be reached, and those at which this ends. */
  function follow(entries: readonly string[], followsHanded: boolean) {
    const [all, borders, seen] = [new Set<string>(), new Set<string>(), new Set<string>()];
    const waiting = entries.map((path) => `${path}#*`);
    for (let token = waiting.pop(); token !== undefined; token = waiting.pop()) {
      const path = fileOfToken(token);
      if (seen.has(token) || !modules.has(path)) continue;
      seen.add(token);
      if (rules.isBorder(path) && !entries.includes(path)) borders.add(path);
      else {
        all.add(path);
        // What the functions of the root use is handed in beside them.
        if (rules.isRoot(path) && !entries.includes(path)) continue;
        waiting.push(...importsOf(path), ...(followsHanded ? handedTo(token) : []));
      }
    }
    return { all, borders };
  }

  function importedBy(borders: Iterable<string>, besides: ReadonlySet<string>): ReadonlySet<string> {
    const found = new Set<string>();
    const waiting = [...borders];
    for (let token = waiting.pop(); token !== undefined; token = waiting.pop()) {
      const path = fileOfToken(token);
      if (found.has(path) || besides.has(path) || !modules.has(path)) continue;
      found.add(path);
      waiting.push(...importsOf(path));
    }
    return found;
  }

  return {
    reach(entries, { followsHanded = true } = {}) {
      const { all, borders } = follow(entries, followsHanded);
      const behind = importedBy(borders, all);
      const isCode = (path: string) => !rules.isDeclaration(path);
      return {
        files: new Set([...all].filter(isCode)),
        declarations: new Set([...all, ...behind].filter(rules.isDeclaration)),
        behindBorders: new Set([...behind].filter(isCode)),
      };
    },
    linesOf: (files) => [...files].reduce((sum, path) => sum + (modules.get(path)?.lines ?? 0), 0),
    filesIn: (entry) => [...modules.keys()].filter((path) => path === entry || path.startsWith(`${entry}/`)),
  };
}
