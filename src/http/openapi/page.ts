// The documentation of an API as one self-contained page, made from its OpenAPI document and readable without a script.
import { createHash } from 'node:crypto';
import { html, raw } from 'hono/html';
import type { OpenApiDocument, OperationDocs } from './document.ts';
import { componentPrefix, type JsonSchema } from './json-schema.ts';
import { pageScript, pageStyle } from './page-assets.ts';
import { anchorOf, operationView, type PageEntry } from './page-operation.ts';
import { schemaView, type Markup } from './page-schema.ts';

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Allows the page's own style and script, by their hash, and nothing else. */
export const pagePolicy = [
  "default-src 'none'",
  `style-src ${hashOf(pageStyle)}`,
  `script-src ${hashOf(pageScript)}`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export interface Chapter {
  readonly title: string;
  readonly about?: string | undefined;
  readonly entries: readonly PageEntry[];
}

export interface DocsPage {
  readonly title: string;
  /** The heading of the list of operations. */
  readonly brand: string;
  /** Shown in the empty filter. */
  readonly filterHint: string;
  /** Shown before the chapters. */
  readonly opening: Markup;
  readonly chapters: readonly Chapter[];
  readonly schemas: OpenApiDocument['components']['schemas'];
}

export function docsPage(page: DocsPage): Markup {
  const { title, opening, chapters, schemas } = page;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        <link rel="icon" href="${icon}" />
        <style>${raw(pageStyle)}</style>
      </head>
      <body>
        <a class="skip" href="#content">Skip to the operations</a>
        ${sidebar(page)}
        <main id="content">
          ${opening} ${chapters.map(chapterView)} ${schemasView(schemas)}
        </main>
        <script>${raw(pageScript)}</script>
      </body>
    </html>`;
}

const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' rx='8' fill='%230a7d8c'/%3E%3Cpath d='M9 12h14M9 17h9M9 22h11' stroke='white' stroke-width='2.5' stroke-linecap='round'/%3E%3C/svg%3E";

const idOf = (title: string): string => `chapter-${title.toLowerCase().replaceAll(/\W+/g, '-')}`;

function sidebar({ brand, filterHint, chapters }: DocsPage): Markup {
  return html`<nav aria-label="Operations">
    <p class="brand">${brand}</p>
    <label class="filter">
      <span>Filter</span>
      <input type="search" id="filter" placeholder="${filterHint}" autocomplete="off" />
    </label>
    ${chapters.map(
      (chapter) => html`<section>
        <h2><a href="#${idOf(chapter.title)}">${chapter.title}</a></h2>
        <ul>
          ${chapter.entries.map(
            (entry) =>
              html`<li data-words="${entry.method} ${entry.path} ${entry.docs.summary}">
                <a href="#${anchorOf(entry)}">
                  <span class="method ${entry.method}" aria-hidden="true">${entry.method}</span>
                  ${entry.docs.summary}
                </a>
              </li>`,
          )}
        </ul>
      </section>`,
    )}
    <section>
      <h2><a href="#chapter-schemas">Schemas</a></h2>
    </section>
  </nav>`;
}

function chapterView({ title, about, entries }: Chapter): Markup {
  return html`<section class="chapter" id="${idOf(title)}">
    <h2>${title}</h2>
    ${about === undefined ? '' : html`<p class="about">${about}</p>`} ${entries.map(operationView)}
  </section>`;
}

function schemasView(schemas: DocsPage['schemas']): Markup {
  return html`<section class="chapter" id="chapter-schemas">
    <h2>Schemas</h2>
    ${Object.entries(schemas).map(
      ([name, schema]) => html`<details class="operation" id="schema-${name}" data-words="${name}">
        <summary><code class="path">${name}</code></summary>
        <div class="inside">${schemaView(schema)}</div>
      </details>`,
    )}
  </section>`;
}

export interface EntryOptions {
  /** The end of the server's URL, shown as part of every path: `/_sandbox`. */
  readonly prefix?: string;
  /** The shell variable that holds the caller's token. */
  readonly token?: string;
}

export function operationEntries(document: OpenApiDocument, { prefix = '', token = 'TOKEN' }: EntryOptions = {}) {
  const server = (document.servers[0]?.url ?? '').slice(0, prefix === '' ? undefined : -prefix.length);
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, docs]): PageEntry => ({
      method: method.toUpperCase(),
      path: prefix + path,
      docs,
      body: bodyOf(document, docs),
      server,
      token,
    })),
  );
}

export function eventEntries(document: OpenApiDocument): readonly PageEntry[] {
  return Object.entries(document.webhooks ?? {}).flatMap(([event, methods]) =>
    Object.values(methods).map((docs) => ({ method: 'EVENT', path: event, docs, body: bodyOf(document, docs) })),
  );
}

export const isTagged =
  (name: string) =>
  ({ docs }: PageEntry): boolean =>
    docs.tags.includes(name);

/** A named request is shown in place, not only linked. */
function bodyOf({ components }: OpenApiDocument, { requestBody }: OperationDocs): JsonSchema | undefined {
  const schema = requestBody?.content['application/json'].schema;
  return schema?.$ref === undefined ? schema : components.schemas[schema.$ref.slice(componentPrefix.length)];
}
