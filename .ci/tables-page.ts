// The pages that show every table, view and column, made from the declarations and the views; tests check that they are current.
import { describedTables, type DescribedColumn } from '#src/store/schema/dictionary.ts';
import type { View, ViewColumn } from '#src/store/views/view.ts';
import { viewsFor } from '#src/store/views/views.ts';

/** docs/tables.md with its two generated parts: the list of tables and views, and the columns of the tables. */
export function withTables(page: string, { tables = describedTables(), views = viewsFor([]) } = {}): string {
  const list = [
    '| table | contents |',
    '|---|---|',
    ...tables.map(({ name, about }) => `| [\`${name}\`](#${name}) | ${about} |`),
    '',
    '| view | contents |',
    '|---|---|',
    ...views.map(({ name, about }) => `| [\`${name}\`](views.md#${name}) | ${about} |`),
  ];
  const references = tables.flatMap(({ name, columns }) =>
    columns.flatMap((column) => (column.joins ? [`| \`${name}.${column.name}\` | \`${column.joins}\` |`] : [])),
  );
  const columns = [
    '## Joins',
    '',
    '| column | refers to |',
    '|---|---|',
    ...references,
    '',
    '## Columns',
    ...tables.flatMap(({ name, about, key, columns: described }) => [
      '',
      `### ${name}`,
      '',
      `${about} Key: ${key.map((column) => `\`${column}\``).join(', ')}.`,
      '',
      '| column | type | meaning |',
      '|---|---|---|',
      ...described.map(columnRow),
    ]),
  ];
  return withPart(withPart(page, 'list', list), 'columns', columns);
}

const columnRow = ({ name, kind, required, about, joins, sentAs }: DescribedColumn): string =>
  `| \`${name}\` | ${kind}${required ? ', not null' : ''} | ${about}${sentAs ? ` (sent as \`${sentAs}\`)` : ''}${joins ? ` → \`${joins}\`` : ''} |`;

function withPart(page: string, name: string, lines: readonly string[]): string {
  const begin = `<!-- ${name}: made by \`npm run tables\` -->`;
  const end = `<!-- /${name} -->`;
  const from = page.indexOf(begin);
  const to = page.indexOf(end);
  if (from < 0 || to < from) throw new Error(`docs/tables.md lacks the marks ${begin} … ${end}`);
  return `${page.slice(0, from)}${begin}\n${lines.join('\n')}\n${page.slice(to)}`;
}

/** docs/views.md with the description and the columns of each view under its heading. A view without a section gets one. */
export function withViews(page: string, views = viewsFor([])): string {
  return views.reduce((text, view) => {
    const section = new RegExp(String.raw`^(## ${view.name}\n\n)[^#]*?\n\n\| column [^]*?\n(?=\n)`, 'm');
    if (section.test(text)) return text.replace(section, (_, heading: string) => `${heading}${viewPart(view)}`);
    const example = `\`\`\`sql\nselect * from ${view.name} limit 20;\n\`\`\``;
    return text.replace(/^(?=## Your own views$)/m, () => `## ${view.name}\n\n${viewPart(view)}\n${example}\n\n`);
  }, page);
}

function viewPart({ about, columns, key }: View): string {
  const rows = Object.entries(columns).map(([name, column]) => `${viewColumnRow(name, column)}\n`);
  return `${about} Key: ${key.map((column) => `\`${column}\``).join(', ')}.\n\n| column | kind | meaning |\n|---|---|---|\n${rows.join('')}`;
}

const viewColumnRow = (name: string, { kind, about, holds, joins }: ViewColumn): string =>
  `| \`${name}\` | ${kind}${holds ? `, holds ${holds}` : ''} | ${about}${joins ? ` → \`${joins}\`` : ''} |`;
