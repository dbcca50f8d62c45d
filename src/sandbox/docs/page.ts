// The documentation page of the sandbox: the operations of the service, its events, and the controls.
import { html } from 'hono/html';
import type { OpenApiDocument } from '#src/http/openapi/document.ts';
import { docsPage, eventEntries, isTagged, operationEntries } from '#src/http/openapi/page.ts';
import type { Markup } from '#src/http/openapi/page-schema.ts';

export interface PageDocuments {
  readonly service: OpenApiDocument;
  readonly controls: OpenApiDocument;
}

export function documentationPage({ service, controls }: PageDocuments): Markup {
  const { title } = service.info;
  const [{ url } = { url: '' }] = service.servers;
  const entries = operationEntries(service);
  return docsPage({
    title,
    heading: title,
    lead: html`The whole service on this machine, at <code>${url}</code>. Break it, speed it up, or move its clock:
      nothing outside is affected.`,
    links: {
      'OpenAPI document': '/_sandbox/openapi.json',
      'OpenAPI document of the controls': '/_sandbox/controls.openapi.json',
      'Authorization server': '/.well-known/oauth-authorization-server',
    },
    example: `curl -H "Authorization: Bearer $TOKEN" ${url}/users/me`,
    chapters: [
      ...service.tags.map(({ name }) => ({ title: name, entries: entries.filter(isTagged(name)) })),
      {
        title: 'Events',
        about: 'POSTed to the callback URL of every active subscription they concern.',
        entries: eventEntries(service),
      },
      {
        title: 'Controls',
        about: controls.info.description,
        entries: operationEntries(controls, { prefix: '/_sandbox' }),
      },
    ],
    schemas: service.components.schemas,
  });
}
