// The settings of this process: value, source and meaning; secrets are replaced before they reach the page.
import { html } from 'hono/html';
import { readSettings } from '#src/api/mirror/mirror-process.ts';
import { counted } from '#src/base/number-text.ts';
import { table, type Column } from '#src/addons/dashboard/components/list.ts';
import { foreign, type Markup } from '#src/addons/dashboard/components/markup.ts';
import { definePage } from '#src/addons/dashboard/page.ts';
import { partsOfMirror, withCode } from './parts.ts';

const path = '/mirror/settings';

type Setting = ReturnType<typeof readSettings>[number];

export const settingsPage = definePage({
  path,
  section: '/mirror',
  async show({ read }) {
    const settings = await read(readSettings);
    const set = settings.filter(({ source }) => source !== 'default');
    const unset = settings.filter(({ source }) => source === 'default');
    return {
      title: 'Settings',
      content: html`${partsOfMirror(path)}
        <h1>Settings</h1>
        <p class="lead">
          ${counted(set.length, 'setting')} of ${settings.length} ${set.length === 1 ? 'is' : 'are'} set. Secrets are hidden.
          ${mcpState(settings)}
        </p>
        <p>A setting is an environment variable, or a line of <code>.env</code>. A process reads them when it starts.</p>
        <h2>Set</h2>
        ${settingTable('Settings that are set', set)}
        <h2>Not set</h2>
        ${[...Map.groupBy(unset, ({ group }) => group)].map(
          ([group, those]) =>
            html`<details id="${group.toLowerCase().replaceAll(/\W+/g, '-')}"><summary>${group} (${those.length})</summary>${settingTable(group, those)}</details>`,
        )}`,
    };
  },
});

const settingTable = (caption: string, rows: readonly Setting[]): Markup =>
  table({ caption, rows, keyOf: ({ name }) => name, empty: 'Every setting has its default.', columns });

const columns: readonly Column<Setting>[] = [
  {
    name: 'Setting',
    cell: ({ name, meaning }) =>
      html`<div><code>${name}</code><br /><small class="soft">${withCode(meaning)}</small></div>`,
  },
  { name: 'Value', cell: valueView },
  { name: 'From', cell: sourceText },
];

/** Whether AI models can ask this process, and what they see. */
function mcpState(settings: readonly Setting[]): Markup {
  const valueOf = (name: string) => settings.find((setting) => setting.name === name)?.value ?? null;
  if (valueOf('MCP_TOKEN') === null) return html`AI models cannot ask this process: <code>MCP_TOKEN</code> is not set.`;
  const isRevealed = /^(true|1|yes)$/.test(valueOf('MCP_REVEAL') ?? '');
  return html`AI models can ask it at <code>/mcp</code>; people are ${isRevealed ? 'shown to them' : 'masked'}.`;
}

function valueView({ value, shown, source }: Setting): Markup {
  if (value === null) return html`<span class="none">not set</span>`;
  if (shown === 'hidden') return html`<span class="soft">hidden</span>`;
  // Some defaults are sentences.
  return source === 'default'
    ? html`<span class="soft">${withCode(value)}</span>`
    : html`<code>${foreign(value)}</code>`;
}

function sourceText({ source, variable, name }: Setting): Markup {
  if (source === 'default') return html`<span class="soft">default</span>`;
  const from = { environment: 'environment', '.env': '.env', file: 'file' }[source];
  return html`<div>${from}${variable === name || variable === null ? '' : html` <code>${variable}</code>`}</div>`;
}
