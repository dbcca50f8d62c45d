// Rejects private vocabulary. Identifiers and file names use the terms of docs/glossary.md; prose avoids the words listed here.
// Usage: node .ci/vocabulary.ts [PATH…]   (default: the whole repository)
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/** Words that no identifier or file name may contain, compared with each part of a camelCase or snake_case name. */
const identifierWords = new Set(
  `told tell tells telling retell said say says saying speak speaks spoken hear hears heard unheard know knows stand stands
  standing stood gone bury buries buried forget forgets forgot forgotten kept place places walk walks walked walker walking
  stretch stretches whoever somebody nobody someone heed climb climbs doubt doubted suspicion suspect suspects parcel courier
  shelf shelves desk handover watchman calm patience lineage lore wording togetherness`.split(/\s+/),
);

/** Words and phrases that need decoding wherever they appear: in comments, messages, test titles and documentation. */
const prosePatterns =
  /\b(told|whoever|somebody|nobody|heed|heeds|bury|buried|unheard|suspicion|handover|lest|in a ring|of what is no|put off|looked after|let through|as it stands|stands? still|lets itself)\b/gi;

export interface Finding {
  readonly path: string;
  readonly line: number;
  readonly word: string;
}

const partsOf = (name: string): readonly string[] =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z]+/)
    .map((part) => part.toLowerCase());

/** Blanks strings and comments, so that only code is left; line breaks stay. */
export function codeOnly(text: string): string {
  return text.replaceAll(
    /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|(?<=[=(,:?&|!]\s*)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/g,
    (match) => match.replaceAll(/[^\n]/g, ' '),
  );
}

/** Template literals keep their `${…}` parts: those are code. */
const withoutTemplateText = (code: string): string =>
  code.replaceAll(/`(?:\\[\s\S]|\$\{[^}]*\}|[^`\\])*`/g, (template) =>
    template.replaceAll(/\$\{([^}]*)\}|[^\n]/g, (_, inner: string | undefined) =>
      inner === undefined ? ' ' : ` ${inner} `,
    ),
  );

export function findIn(path: string, text: string): readonly Finding[] {
  const findings: Finding[] = [];
  const lineAt = (source: string, index: number) => source.slice(0, index).split('\n').length;
  if (/^(src|workers|schemas)\/.*\.ts$/.test(path)) {
    findings.push(
      ...partsOf(path)
        .filter((part) => identifierWords.has(part))
        .map((word) => ({ path, line: 0, word })),
    );
    const code = withoutTemplateText(codeOnly(text));
    for (const { 0: name, index } of code.matchAll(/[A-Za-z_$][\w$]*/g)) {
      const word = partsOf(name).find((part) => identifierWords.has(part));
      if (word !== undefined) findings.push({ path, line: lineAt(code, index), word: name });
    }
  }
  for (const { 0: word, index } of text.matchAll(prosePatterns))
    findings.push({ path, line: lineAt(text, index), word });
  return findings;
}

export function checkRepository(paths: readonly string[] = ['.']): readonly Finding[] {
  const list = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...paths], {
    encoding: 'utf8',
  });
  return list
    .split('\n')
    .filter(
      (path) =>
        /\.(ts|md)$/.test(path) && !/^(\.ci\/vocabulary|docs\/glossary|test\/vocabulary|CHANGELOG|CODE_OF)/.test(path),
    )
    .flatMap((path) => {
      try {
        return findIn(path, readFileSync(path, 'utf8'));
      } catch {
        return []; // Deleted in the working tree.
      }
    });
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const findings = checkRepository(process.argv.length > 2 ? process.argv.slice(2) : ['.']);
  for (const { path, line, word } of findings) console.log(`${path}:${line}  ${word}`);
  console.log(`${findings.length} findings`);
  process.exitCode = findings.length === 0 ? 0 : 1;
}
