// The documentation as one page that needs nothing from elsewhere: made from the OpenAPI documents, readable without a script.
import { createHash } from 'node:crypto';
import { html, raw } from 'hono/html';
import type { JsonSchema } from './json-schema.ts';
import type { OpenApiDocument, OperationDocs } from './openapi.ts';
import { anchorOf, operationView } from './page-operation.ts';
import type { Shown } from './page-operation.ts';
import { refPrefix, schemaView } from './page-schema.ts';
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

interface Chapter {
  readonly title: string;
  readonly about?: string;
  readonly shown: readonly Shown[];
}

export interface PageDocuments {
  readonly service: OpenApiDocument;
  readonly controls: OpenApiDocument;
}

export function documentationPage({ service, controls }: PageDocuments): Markup {
  const chapters: readonly Chapter[] = [
    ...service.tags.map(({ name }) => ({ title: name, shown: shownOf(service).filter(isTagged(name)) })),
    {
      title: 'Events',
      about: 'POSTed to the callback URL of every active subscription they concern.',
      shown: Object.entries(service.webhooks ?? {}).flatMap(([event, methods]) =>
        Object.values(methods).map((docs) => ({ method: 'EVENT', path: event, docs, body: bodyOf(service, docs) })),
      ),
    },
    {
      title: 'Controls',
      about: 'What people, time and bad luck do to the service. No token; for callers on this machine only.',
      shown: shownOf(controls, '/_sandbox'),
    },
  ];
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${service.info.title}</title>
        <link rel="icon" href="${icon}" />
        <style>${raw(pageStyle)}</style>
      </head>
      <body>
        <a class="skip" href="#content">Skip to the operations</a>
        ${sidebar(chapters)}
        <main id="content">
          ${opening(service, chapters)} ${chapters.map(chapterView)} ${schemasView(service)}
        </main>
        <script>${raw(pageScript)}</script>
      </body>
    </html>`;
}

const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' rx='8' fill='%230a7d8c'/%3E%3Cpath d='M9 12h14M9 17h9M9 22h11' stroke='white' stroke-width='2.5' stroke-linecap='round'/%3E%3C/svg%3E";

const isTagged =
  (name: string) =>
  ({ docs }: Shown): boolean =>
    docs.tags.includes(name);

function shownOf(document: OpenApiDocument, prefix = ''): readonly Shown[] {
  const server = (document.servers[0]?.url ?? '').slice(0, prefix === '' ? undefined : -prefix.length);
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, docs]) => ({
      method: method.toUpperCase(),
      path: prefix + path,
      docs,
      body: bodyOf(document, docs),
      server,
    })),
  );
}

/** A named request is shown where it is sent, not only linked. */
function bodyOf({ components }: OpenApiDocument, { requestBody }: OperationDocs): JsonSchema | undefined {
  const schema = requestBody?.content['application/json'].schema;
  const ref = schema?.['$ref'];
  return typeof ref === 'string' ? components.schemas[ref.slice(refPrefix.length)] : schema;
}

const idOf = (title: string): string => `chapter-${title.toLowerCase().replaceAll(/\W+/g, '-')}`;

function sidebar(chapters: readonly Chapter[]): Markup {
  return html`<nav aria-label="Operations">
    <p class="brand">sandbox</p>
    <label class="filter">
      <span>Filter</span>
      <input type="search" id="filter" placeholder="contacts, POST, cancel …" autocomplete="off" />
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

function opening({ info, servers, webhooks, paths }: OpenApiDocument, chapters: readonly Chapter[]): Markup {
  const base = servers[0]?.url ?? '';
  const operations = Object.values(paths).flatMap((methods) => Object.keys(methods)).length;
  const numbers = {
    operations,
    events: Object.keys(webhooks ?? {}).length,
    controls: chapters.at(-1)?.shown.length ?? 0,
  };
  return html`<header>
    <h1>${info.title}</h1>
    <p class="lead">
      The whole service on this machine, at <code>${base}</code>. Break it, speed it up, send it to the future: nobody will
      notice.
    </p>
    <ul class="numbers">
      ${Object.entries(numbers).map(([what, count]) => html`<li><strong>${count}</strong> ${what}</li>`)}
    </ul>
    <p class="links">
      <a href="/_sandbox/openapi.json">OpenAPI document</a>
      <a href="/_sandbox/controls.openapi.json">OpenAPI document of the controls</a>
      <a href="/.well-known/oauth-authorization-server">Authorization server</a>
    </p>
    <pre><code>curl -H "Authorization: Bearer $TOKEN" ${base}/users/me</code></pre>
  </header>`;
}

function chapterView({ title, about, shown }: Chapter): Markup {
  return html`<section class="chapter" id="${idOf(title)}">
    <h2>${title}</h2>
    ${about === undefined ? '' : html`<p class="about">${about}</p>`} ${shown.map(operationView)}
  </section>`;
}

function schemasView({ components }: OpenApiDocument): Markup {
  return html`<section class="chapter" id="chapter-schemas">
    <h2>Schemas</h2>
    ${Object.entries(components.schemas).map(
      ([name, schema]) => html`<details class="operation" id="schema-${name}" data-words="${name}">
        <summary><code class="path">${name}</code></summary>
        <div class="inside">${schemaView(schema)}</div>
      </details>`,
    )}
  </section>`;
}
