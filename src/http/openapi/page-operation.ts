// Shows one operation or event: a line that opens into its parameters, body, answers and a curl command.
import { html } from 'hono/html';
import type { OperationDocs, ResponseDocs } from './document.ts';
import type { JsonSchema } from './json-schema.ts';
import { nothing, prose, schemaView } from './page-schema.ts';
import type { Markup } from './page-schema.ts';

export interface PageEntry {
  readonly method: string;
  /** Of an operation; for an event, its name. */
  readonly path: string;
  readonly docs: OperationDocs;
  /** The schema of the request, resolved. */
  readonly body?: JsonSchema | undefined;
  /** The origin; absent for events, which are received and not called. */
  readonly server?: string;
  /** The shell variable that holds the caller's token. */
  readonly token?: string;
}

export const anchorOf = ({ method, path }: PageEntry): string =>
  `${method} ${path}`
    .toLowerCase()
    .split(/\W+/)
    .filter((word) => word !== '')
    .join('-');

export function operationView(entry: PageEntry): Markup {
  const { method, path, docs, body } = entry;
  const scopes = Object.values(docs.security[0] ?? {})[0] ?? [];
  return html`<details class="operation" id="${anchorOf(entry)}" data-words="${method} ${path} ${docs.summary}">
    <summary>
      <span class="method ${method}">${method}</span>
      <code class="path">${path}</code>
      <span class="summary">${prose(docs.summary === path ? docs.description : docs.summary)}</span>
      ${scopes.map((scope) => html`<span class="scope" title="required scope">${scope}</span>`)}
    </summary>
    <div class="inside">
      ${docs.summary === path || docs.description === undefined ? nothing : html`<p>${prose(docs.description)}</p>`}
      ${parametersView(docs)}
      ${body ? html`<h4>Body</h4>${schemaView(body)}` : nothing}
      ${answersView(docs)}${curlView(entry)}
    </div>
  </details>`;
}

function parametersView({ parameters = [] }: OperationDocs): Markup {
  if (parameters.length === 0) return nothing;
  return html`<h4>Parameters</h4>
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">name</th>
            <th scope="col">in</th>
            <th scope="col">value</th>
            <th scope="col">meaning</th>
          </tr>
        </thead>
        <tbody>
          ${parameters.map(
            ({ name, in: location, required, description, schema }) => html`<tr>
              <th scope="row"><code>${name}</code>${required ? html` <span class="required">required</span>` : nothing}</th>
              <td>${location}</td>
              <td>${schemaView(schema)}</td>
              <td>${prose(description)}</td>
            </tr>`,
          )}
        </tbody>
      </table>
    </div>`;
}

function answersView({ responses }: OperationDocs): Markup {
  const all = Object.entries(responses);
  const isError = ([status, { $ref }]: (typeof all)[number]): boolean => $ref !== undefined || /^[45]/.test(status);
  return html`<h4>Answers</h4>
    ${all
      .filter((one) => !isError(one))
      .map(
        ([
          status,
          { description, content = {} },
        ]) => html`<p><span class="status good">${status}</span> ${prose(description)}${mediaView(content)}</p>
          ${Object.values(content).map(({ schema }) => schemaView(schema))}`,
      )}
    <p class="errors">
      ${all
        .filter(isError)
        .map(
          ([status, { $ref = '', description }]) =>
            html`<span class="status bad">${status}</span> ${description ?? $ref.slice($ref.lastIndexOf('/') + 1)} `,
        )}
    </p>`;
}

/** The media type, where it is not JSON. */
function mediaView(content: NonNullable<ResponseDocs['content']>): Markup {
  const others = Object.keys(content).filter((type) => type !== 'application/json');
  return others.length === 0 ? nothing : html` <span class="type">${others.join(', ')}</span>`;
}

function curlView({ method, path, docs, server, token = 'TOKEN' }: PageEntry): Markup {
  if (server === undefined) return nothing;
  const isGuarded = docs.security.length > 0;
  const parts = [
    'curl',
    method === 'GET' ? '' : `-X ${method}`,
    isGuarded ? `-H "Authorization: Bearer $${token}"` : '',
    docs.requestBody ? `-H 'Content-Type: application/json' -d '{…}'` : '',
    `'${server}${path}'`,
  ];
  return html`<h4>Try it</h4>
    <pre><code>${parts.filter((part) => part !== '').join(' ')}</code></pre>`;
}
