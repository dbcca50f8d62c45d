// An API's documentation as one page that needs nothing from elsewhere: made from OpenAPI documents, readable without a script.
import { createHash } from 'node:crypto';
import { html, raw } from 'hono/html';
import type { OpenApiDocument } from './document.ts';
import { anchorOf, operationView } from './page-operation.ts';
import type { Shown } from './page-operation.ts';
import { schemaView } from './page-schema.ts';
import type { Markup } from './page-schema.ts';
import { pageScript } from './page-script.ts';
import { pageStyle } from './page-style.ts';

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Its own style and script, by their hash, and nothing else. */
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
  readonly shown: readonly Shown[];
}

export interface Reference {
  readonly title: string;
  /** Above the list of operations, in a word. */
  readonly brand: string;
  /** What one may type into the filter. */
  readonly filterHint: string;
  /** What stands before the chapters. */
  readonly opening: Markup;
  readonly chapters: readonly Chapter[];
  readonly schemas: OpenApiDocument['components']['schemas'];
}

export function referencePage(reference: Reference): Markup {
  const { title, opening, chapters, schemas } = reference;
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
        ${sidebar(reference)}
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

function sidebar({ brand, filterHint, chapters }: Reference): Markup {
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
          ${chapter.shown.map(
            (shown) =>
              html`<li data-words="${shown.method} ${shown.path} ${shown.docs.summary}">
                <a href="#${anchorOf(shown)}">
                  <span class="method ${shown.method}" aria-hidden="true">${shown.method}</span>
                  ${shown.docs.summary}
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

function chapterView({ title, about, shown }: Chapter): Markup {
  return html`<section class="chapter" id="${idOf(title)}">
    <h2>${title}</h2>
    ${about === undefined ? '' : html`<p class="about">${about}</p>`} ${shown.map(operationView)}
  </section>`;
}

function schemasView(schemas: Reference['schemas']): Markup {
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
