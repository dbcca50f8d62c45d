// The schema radar: what the service sends and this version does not know, each with its first example.
import { html } from 'hono/html';
import { getSchema } from '#src/api/mirror/schema.ts';
import { counted, number } from '#src/base/number-text.ts';
import { table } from '#src/dashboard/components/list.ts';
import { command, foreign, time, type Markup } from '#src/dashboard/components/markup.ts';
import { definePage } from '#src/dashboard/page.ts';
import { partsOfMirror } from './parts.ts';

export const schemaPage = definePage({
  path: '/mirror/schema',
  section: '/mirror',
  async show({ ask }) {
    const { kinds, fields, examined } = await ask(getSchema);
    const { unhandled, unhandled_limit: most, entries, rows, since } = examined;
    return {
      title: 'Schema',
      content: html`${partsOfMirror('/mirror/schema')}
        <h1>Unknown kinds and fields</h1>
        <p class="lead">What the service sends and this version does not know. Nothing of it is lost.</p>
        <p>
          Examined: the newest ${counted(entries, 'log entry', 'log entries')}${since === null ? '' : html` (since ${time(since)})`} with
          ${counted(rows, 'row')} that they changed, and ${unhandled === most ? `the newest ${number(most)}` : `all ${number(unhandled)}`}
          entries of unknown kinds.
        </p>
        <h2>Kinds</h2>
        ${table({
          caption: 'Unknown kinds of events',
          rows: kinds,
          keyOf: ({ event }) => event,
          empty: 'Every kind of event is known.',
          columns: [
            {
              name: 'Kind',
              cell: ({ event }) =>
                html`<a href="/deliveries?event=${encodeURIComponent(event)}&outcome=unhandled">${foreign(event)}</a>`,
            },
            { name: 'Entries', cell: ({ count }) => number(count), isNumber: true },
            { name: 'First', cell: ({ first }) => entryLink(first) },
            { name: 'Last', cell: ({ last_received_at: at }) => time(at) },
          ],
        })}
        ${kinds.length > 0 ? html`<p>They are stored. After an upgrade that knows them: ${command('replay --quarantined')}</p>` : ''}
        <h2>Fields</h2>
        ${table({
          caption: 'Unknown fields of records',
          rows: fields,
          keyOf: ({ table: of, field }) => `${of} ${field}`,
          empty: 'Every field of the examined rows is known.',
          columns: [
            { name: 'Field', cell: ({ field }) => html`<code>${foreign(field)}</code>` },
            { name: 'Table', cell: ({ table: of }) => html`<code>${of}</code>` },
            { name: 'Type', cell: ({ type }) => type },
            { name: 'Rows', cell: ({ rows: found }) => number(found), isNumber: true },
            {
              name: 'First',
              cell: ({ first }) => (first === null ? html`<span class="none">not found</span>` : entryLink(first)),
            },
          ],
        })}
        ${fields.length > 0 ? html`<p>They are in the column <code>extra</code> of the table: <code>extra->>'${fields[0]?.field ?? ''}'</code></p>` : ''}`,
    };
  },
});

const entryLink = ({ seq, received_at: at }: { readonly seq: number; readonly received_at: string }): Markup =>
  html`<div><a href="/deliveries/${seq}">#${number(seq)}</a> ${time(at)}</div>`;
