// The pages that show every setting, made from the one table there is; a test checks that they are current.
import type { Setting } from '#src/config/readers.ts';
import { groupedSettings } from '#src/config/setting-groups.ts';
import { settings } from '#src/config/variables.ts';

const begin = '<!-- settings: made by `npm run settings` -->';
const end = '<!-- /settings -->';
const groups = groupedSettings(Object.entries<Setting>(settings), ([name]) => name);
const firstGroup = groups[0]?.[0];

export function envExample(): string {
  const intro = [
    `# Every variable Slotstream reads, with its default. Copy to .env, fill in those below "${firstGroup}", and uncomment what else you change.`,
    '# Any of them can be read from a file instead: NAME_FILE=/run/secrets/name.',
  ];
  const lines = groups.flatMap(([group, entries]) => [
    '',
    `# ---- ${group} ----`,
    ...entries.flatMap(([name, setting]) => [
      '',
      ...about(setting),
      `${group === firstGroup ? '' : '# '}${name}=${plainDefault(setting)}`,
    ]),
  ]);
  return [...intro, ...lines, ''].join('\n');
}

function about({ meaning, alias, default: shown }: Setting): readonly string[] {
  const notes = [meaning.replaceAll('`', ''), alias === undefined ? '' : `Also read as ${alias}.`];
  if (!isPlain(shown) && shown !== '–') notes.push(`Default: ${shown.replaceAll('`', '')}.`);
  return [`# ${notes.filter((note) => note !== '').join(' ')}`];
}

/** A default that can be written as a value; others are sentences. */
function isPlain(shown: string): boolean {
  return /^[\w./-]+$/.test(shown) && shown !== 'all';
}

function plainDefault({ default: shown }: Setting): string {
  return isPlain(shown) ? shown : '';
}

export function withSettingsTable(page: string): string {
  const from = page.indexOf(begin);
  const to = page.indexOf(end);
  if (from < 0 || to < from) throw new Error(`docs/configuration.md lacks the marks ${begin} … ${end}`);
  const tables = groups.map(([group, entries]) =>
    [
      `## ${group}\n`,
      '| variable | default | meaning |',
      '|---|---|---|',
      ...entries.map(
        ([name, setting]) => `| ${nameCell(name, setting)} | ${defaultCell(setting)} | ${setting.meaning} |`,
      ),
    ].join('\n'),
  );
  return `${page.slice(0, from)}${begin}\n${tables.join('\n\n')}\n${page.slice(to)}`;
}

function nameCell(name: string, { alias }: Setting): string {
  return alias === undefined ? `\`${name}\`` : `\`${name}\` (or \`${alias}\`)`;
}

function defaultCell({ default: shown }: Setting): string {
  return isPlain(shown) ? `\`${shown}\`` : shown;
}
