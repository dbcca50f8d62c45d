// The documentation page of the sandbox: the operations of the service, its events, and the controls.
import { html } from 'hono/html';
import type { OpenApiDocument } from '#src/http/openapi/document.ts';
import { docsPage, eventEntries, isTagged, operationEntries, type Chapter } from '#src/http/openapi/page.ts';
import type { Markup } from '#src/http/openapi/page-schema.ts';

export interface PageDocuments {
  readonly service: OpenApiDocument;
  readonly controls: OpenApiDocument;
}

export function documentationPage({ service, controls }: PageDocuments): Markup {
  const chapters: readonly Chapter[] = [
    ...service.tags.map(({ name }) => ({ title: name, entries: operationEntries(service).filter(isTagged(name)) })),
    {
      title: 'Events',
      about: 'POSTed to the callback URL of every active subscription they concern.',
      entries: eventEntries(service),
    },
    {
      title: 'Controls',
      about: 'What people, time and bad luck do to the service. No token; for callers on this machine only.',
      entries: operationEntries(controls, { prefix: '/_sandbox' }),
    },
  ];
  return docsPage({
    title: service.info.title,
    brand: 'sandbox',
    filterHint: 'contacts, POST, cancel …',
    opening: openingOf(service, chapters),
    chapters,
    schemas: service.components.schemas,
  });
}

function openingOf({ info, servers, webhooks, paths }: OpenApiDocument, chapters: readonly Chapter[]): Markup {
  const base = servers[0]?.url ?? '';
  const operations = Object.values(paths).flatMap((methods) => Object.keys(methods)).length;
  const numbers = {
    operations,
    events: Object.keys(webhooks ?? {}).length,
    controls: chapters.at(-1)?.entries.length ?? 0,
  };
  return html`<header>
    <h1>${info.title}</h1>
    <p class="lead">
      The whole service on this machine, at <code>${base}</code>. Break it, speed it up, or move its clock: nothing
      outside is affected.
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
