// The admin listener's page: what can be asked of the mirror, grouped as people look for it.
import { html } from 'hono/html';
import type { OpenApiDocument } from '#src/http/openapi/document.ts';
import { referencePage } from '#src/http/openapi/page.ts';
import { prose, type Markup } from '#src/http/openapi/page-schema.ts';
import { isTagged, operationsShown } from '#src/http/openapi/page-model.ts';

export function documentationPage(document: OpenApiDocument): Markup {
  const shown = operationsShown(document, { token: 'ADMIN_TOKEN' });
  return referencePage({
    title: `${document.info.title} API`,
    brand: 'slotstream',
    filterHint: 'contacts, feed, POST …',
    opening: opening(document, shown.length),
    chapters: document.tags.map(({ name, description }) => ({
      title: name,
      about: description,
      shown: shown.filter(isTagged(name)),
    })),
    schemas: document.components.schemas,
  });
}

function opening({ info, servers, components }: OpenApiDocument, operations: number): Markup {
  const base = servers[0]?.url ?? '';
  const numbers = { operations, schemas: Object.keys(components.schemas).length };
  return html`<header>
    <h1>${info.title}</h1>
    <p class="lead">${prose(info.description)}</p>
    <ul class="numbers">
      ${Object.entries(numbers).map(([what, count]) => html`<li><strong>${count}</strong> ${what}</li>`)}
    </ul>
    <p class="links">
      <a href="/openapi.json">OpenAPI document</a>
      <a href="/api/status">Status</a>
      <a href="/metrics">Metrics</a>
    </p>
    <p>
      The token is the one in <code>ADMIN_TOKEN</code>, or else in <code>admin-token</code> of the data folder. A browser
      is let in by the link that <code>npx slotstream status --login</code> prints.
    </p>
    <pre><code>export ADMIN_TOKEN="$(cat data/admin-token)"
curl -H "Authorization: Bearer $ADMIN_TOKEN" ${base}/api/status</code></pre>
  </header>`;
}
