// The settings of this process: value, source and meaning; secrets are replaced before they reach the page.
import { html } from 'hono/html';
import type { z } from 'zod';
import type { settingRecord } from '#src/api/mirror/mirror-process.ts';
import { listSettings } from '#src/api/mirror/settings.ts';
import { counted } from '#src/base/number-text.ts';
import { choices } from '#src/dashboard/components/form.ts';
import { table } from '#src/dashboard/components/list.ts';
import { foreign, type Markup } from '#src/dashboard/components/markup.ts';
import { definePage } from '#src/dashboard/page.ts';
import { partsOfMirror, withCode } from './parts.ts';

type Setting = z.output<typeof settingRecord>;

const path = '/mirror/settings';

export const settingsPage = definePage({
  path,
  section: '/mirror',
  async show({ ask, query }) {
    const { collection } = await ask(listSettings);
    const set = collection.filter(({ source }) => source !== 'default');
    const onlySet = query['show'] === 'set';
    return {
      title: 'Settings',
      content: html`${partsOfMirror(path)}
        <h1>Settings</h1>
        <p class="lead">
          ${counted(set.length, 'setting')} of ${collection.length} ${set.length === 1 ? 'is' : 'are'} set; the others have their defaults.
          Secrets are not shown, and of an address that may contain one only the host. ${mcpState(collection)}
        </p>
        ${choices('Which settings', [
          { text: 'All', href: path, isCurrent: !onlySet },
          { text: 'Set here', href: `${path}?show=set`, isCurrent: onlySet },
        ])}
        ${table({
          caption: 'Settings of this process',
          rows: onlySet ? set : collection,
          keyOf: ({ name }) => name,
          empty: 'No setting is set: everything has its default.',
          columns: [
            {
              name: 'Setting',
              cell: ({ name, meaning }) =>
                html`<div><code>${name}</code><br /><small class="soft">${withCode(meaning)}</small></div>`,
            },
            { name: 'Value', cell: valueView },
            { name: 'From', cell: sourceText },
          ],
        })}
        <p>A setting is an environment variable, or a line of <code>.env</code>; a process reads them when it starts.</p>`,
    };
  },
});

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
