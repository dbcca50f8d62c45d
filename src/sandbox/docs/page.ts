// The documentation of an API as one self-contained page, made from its OpenAPI document and readable without a script.
import { html, raw } from 'hono/html';
import { contentPolicy } from '#src/http/content-policy.ts';
import type { OpenApiDocument, OperationDocs } from '#src/http/openapi/document.ts';
import { componentPrefix, type JsonSchema } from '#src/http/openapi/json-schema.ts';
import { pageScript, pageStyle } from './page-assets.ts';
import { fieldView, prose, schemaView, type Markup } from './page-schema.ts';

export const pagePolicy = contentPolicy({ style: pageStyle, script: pageScript, images: true });

/** One operation, or one event. */
export interface PageEntry {
  readonly method: string;
  /** Of an operation; for an event, its name. */
  readonly path: string;
  readonly docs: OperationDocs;
  readonly body: JsonSchema | undefined;
  /** A command that calls the operation; absent for events, which are received and not called. */
  readonly curl?: string;
}

export interface Chapter {
  readonly title: string;
  readonly about?: string | undefined;
  readonly entries: readonly PageEntry[];
}

export interface DocsPage {
  readonly title: string;
  readonly heading: string;
  readonly lead: Markup;
  readonly links: Readonly<Record<string, string>>;
  readonly example: string;
  readonly chapters: readonly Chapter[];
  readonly schemas: OpenApiDocument['components']['schemas'];
}

export function docsPage({ title, heading, lead, links, example, chapters, schemas }: DocsPage): Markup {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        <link rel="icon" href="data:," />
        <style>${raw(pageStyle)}</style>
      </head>
      <body>
        <a class="skip" href="#content">Skip to the operations</a>
        <nav aria-label="Chapters">
          <label>Filter <input type="search" id="filter" placeholder="contacts, POST …" autocomplete="off" /></label>
          ${chapters.map((chapter) => html`<a href="#${idOf(chapter.title)}">${chapter.title}</a>`)}
          <a href="#chapter-schemas">Schemas</a>
        </nav>
        <main id="content">
          <h1>${heading}</h1>
          <p class="lead">${lead}</p>
          <p class="links">${Object.entries(links).map(([text, url]) => html`<a href="${url}">${text}</a>`)}</p>
          <pre><code>${example}</code></pre>
          ${chapters.map(chapterView)}
          <section class="chapter" id="chapter-schemas">
            <h2>Schemas</h2>
            ${Object.entries(schemas).map(
              ([name, schema]) => html`<details class="operation" id="schema-${name}" data-words="${name}">
                <summary><code class="path">${name}</code></summary>
                <div class="inside">${schemaView(schema)}</div>
              </details>`,
            )}
          </section>
        </main>
        <script>${raw(pageScript)}</script>
      </body>
    </html>`;
}

const idOf = (text: string): string => `chapter-${text.toLowerCase().replaceAll(/\W+/g, '-')}`;

const chapterView = ({ title, about, entries }: Chapter): Markup =>
  html`<section class="chapter" id="${idOf(title)}">
    <h2>${title}</h2>
    <p class="about">${about ?? ''}</p>
    ${entries.map(entryView)}
  </section>`;

function entryView({ method, path, docs, body, curl }: PageEntry): Markup {
  const { summary, description, security, parameters = [], operationId } = docs;
  const scopes = Object.values(security[0] ?? {})[0] ?? [];
  return html`<details class="operation" id="${method}-${operationId}" data-words="${method} ${path} ${summary}">
    <summary>
      <span class="method ${method}">${method}</span>
      <code class="path">${path}</code>
      <span class="summary">${prose(summary === path ? description : summary)}</span>
      ${scopes.map((scope) => html`<span class="scope" title="required scope">${scope}</span>`)}
    </summary>
    <div class="inside">
      ${summary === path ? '' : html`<p>${prose(description)}</p>`}
      ${parameters.length === 0 ? '' : html`<h4>Parameters</h4>`}
      <ul class="fields">
        ${parameters.map(({ name, in: location, required, description: meaning = '', schema }) =>
          fieldView(name, { ...schema, description: `${meaning} (${location})` }, required),
        )}
      </ul>
      ${body ? html`<h4>Body</h4>${schemaView(body)}` : ''} ${answersView(docs)}
      ${curl === undefined ? '' : html`<h4>With curl</h4><pre><code>${curl}</code></pre>`}
    </div>
  </details>`;
}

function answersView({ responses }: OperationDocs): Markup {
  return html`<h4>Answers</h4>
    ${Object.entries(responses).map(([status, { $ref = '', description, content = {} }]) => {
      if ($ref !== '' || /^[45]/.test(status))
        return html`<span class="errors"><span class="status bad">${status}</span> ${description ?? $ref.split('/').at(-1)} </span>`;
      const types = Object.keys(content).filter((type) => type !== 'application/json');
      return html`<p><span class="status good">${status}</span> ${prose(description)} ${types.join(', ')}</p>
        ${Object.values(content).map(({ schema }) => schemaView(schema))}`;
    })}`;
}

export interface EntryOptions {
  /** The end of the server's URL, shown as part of every path: `/_sandbox`. */
  readonly prefix?: string;
}

export function operationEntries(document: OpenApiDocument, { prefix = '' }: EntryOptions = {}): readonly PageEntry[] {
  const [{ url } = { url: '' }] = document.servers;
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([name, docs]) => {
      const method = name.toUpperCase();
      const options = [
        method === 'GET' ? '' : `-X ${method} `,
        docs.security.length > 0 ? `-H "Authorization: Bearer $TOKEN" ` : '',
        docs.requestBody ? `-H 'Content-Type: application/json' -d '{…}' ` : '',
      ];
      const curl = `curl ${options.join('')}'${url}${path}'`;
      return { method, path: prefix + path, docs, body: bodyOf(document, docs), curl };
    }),
  );
}

export const eventEntries = (document: OpenApiDocument): readonly PageEntry[] =>
  Object.entries(document.webhooks ?? {}).flatMap(([event, methods]) =>
    Object.values(methods).map((docs) => ({ method: 'EVENT', path: event, docs, body: bodyOf(document, docs) })),
  );

export const isTagged =
  (name: string) =>
  ({ docs }: PageEntry): boolean =>
    docs.tags.includes(name);

/** A named request is shown in place, not only linked. */
function bodyOf({ components }: OpenApiDocument, { requestBody }: OperationDocs): JsonSchema | undefined {
  const schema = requestBody?.content['application/json'].schema;
  return schema?.$ref === undefined ? schema : components.schemas[schema.$ref.slice(componentPrefix.length)];
}
