// One operation, control or event on the page: a line that opens into everything there is to know about it.
import { html } from 'hono/html';
import type { OperationDocs } from './document.ts';
import type { JsonSchema } from './json-schema.ts';
import { nothing, prose, schemaView } from './page-schema.ts';
import type { Markup } from './page-schema.ts';

export interface Shown {
  readonly method: string;
  /** As it is called; the name of an event. */
  readonly path: string;
  readonly docs: OperationDocs;
  /** What is sent, field by field. */
  readonly body?: JsonSchema | undefined;
  /** The address before the path; absent for events, which are not called but received. */
  readonly server?: string;
  /** The shell variable that holds the caller's token. */
  readonly token?: string;
}

export const anchorOf = ({ method, path }: Shown): string =>
  `${method} ${path}`
    .toLowerCase()
    .split(/\W+/)
    .filter((word) => word !== '')
    .join('-');

export function operationView(shown: Shown): Markup {
  const { method, path, docs, body } = shown;
  const scopes = Object.values(docs.security?.[0] ?? {})[0] ?? [];
  return html`<details class="operation" id="${anchorOf(shown)}" data-words="${method} ${path} ${docs.summary}">
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
      ${answersView(docs)}${curlView(shown)}
    </div>
  </details>`;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
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
          ${(parameters as readonly Parameter[]).map(
            ({ name, in: place, required, description, schema }) => html`<tr>
              <th scope="row"><code>${name}</code>${required ? html` <span class="required">required</span>` : nothing}</th>
              <td>${place}</td>
              <td>${schemaView(schema)}</td>
              <td>${prose(description)}</td>
            </tr>`,
          )}
        </tbody>
      </table>
    </div>`;
}

interface Answer {
  readonly $ref?: string;
  readonly description?: string;
  readonly content?: Readonly<Record<string, { readonly schema?: JsonSchema }>>;
}

function answersView({ responses }: OperationDocs): Markup {
  const all = Object.entries(responses as Readonly<Record<string, Answer>>);
  const isRefusal = ([status, { $ref }]: (typeof all)[number]): boolean => $ref !== undefined || /^[45]/.test(status);
  return html`<h4>Answers</h4>
    ${all
      .filter((one) => !isRefusal(one))
      .map(
        ([
          status,
          { description, content = {} },
        ]) => html`<p><span class="status good">${status}</span> ${prose(description)}${mediaView(content)}</p>
          ${Object.values(content).map(({ schema }) => (schema ? schemaView(schema) : nothing))}`,
      )}
    <p class="refusals">
      ${all
        .filter(isRefusal)
        .map(
          ([status, { $ref = '', description }]) =>
            html`<span class="status bad">${status}</span> ${description ?? $ref.slice($ref.lastIndexOf('/') + 1)} `,
        )}
    </p>`;
}

/** Worth a word where it is not JSON. */
function mediaView(content: NonNullable<Answer['content']>): Markup {
  const others = Object.keys(content).filter((type) => type !== 'application/json');
  return others.length === 0 ? nothing : html` <span class="type">${others.join(', ')}</span>`;
}

function curlView({ method, path, docs, server, token = 'TOKEN' }: Shown): Markup {
  if (server === undefined) return nothing;
  const isGuarded = (docs.security ?? []).length > 0;
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
