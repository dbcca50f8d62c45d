// Serves the documentation: the front page of the service, and under /_sandbox an index, the OpenAPI documents and the page with
// the operations of the service, its events, and the controls.
import { Hono } from 'hono';
import { html } from 'hono/html';
import { metadataPath } from '#schemas/oauth.ts';
import type { OpenApiDocument } from '#src/http/openapi/document.ts';
import { docsPage, eventEntries, isTagged, operationEntries, pagePolicy } from './page.ts';
import type { Markup } from './page-schema.ts';
import { acceptsHtml } from '#src/http/request.ts';
import type { ServiceOperation } from '#src/sandbox/api/service-operation.ts';
import type { Control } from '#src/sandbox/controls/control.ts';
import type { Form, ServiceOptions } from '#src/sandbox/world/service.ts';
import { controlDocument, openApiDocument } from './openapi.ts';

export interface DocsNeeds {
  /** In the current form. */
  operations(): readonly ServiceOperation[];
  readonly controls: readonly Control[];
  readonly options: Pick<ServiceOptions, 'baseUrl' | 'as'>;
}

interface Documents {
  readonly service: OpenApiDocument;
  readonly controls: OpenApiDocument;
}

/** Browsers are sent to another page; programs get the addresses. */
function addIndex(app: Hono, path: string, { page, index }: { readonly page: string; readonly index: object }): void {
  app.get(path, (context) => {
    context.header('Vary', 'Accept');
    return acceptsHtml(context.req.header('accept')) ? context.redirect(page) : context.json(index);
  });
}

export function createDocs({ operations, controls, options }: DocsNeeds): Hono {
  const app = new Hono();
  const home = `${options.baseUrl}/_sandbox`;
  // Made by the first request: most sandboxes never get one.
  const made = new Map<Form, Documents>();
  function documents(): Documents {
    const known = made.get(options.as);
    if (known !== undefined) return known;
    const service = openApiDocument(operations(), options);
    const documented = { service, controls: controlDocument(controls, options) };
    made.set(options.as, documented);
    return documented;
  }
  const index = {
    service: options.baseUrl,
    page: `${home}/docs`,
    openapi: `${home}/openapi.json`,
    controls_openapi: `${home}/controls.openapi.json`,
    controls: controls.map(({ method, path, summary }) => ({ method, url: home + path, summary })),
  };
  addIndex(app, '/', { page: '/_sandbox/docs', index });
  app.get('/openapi.json', (context) => context.json(documents().service));
  app.get('/controls.openapi.json', (context) => context.json(documents().controls));
  app.get('/docs', (context) => {
    context.header('Content-Security-Policy', pagePolicy);
    context.header('X-Content-Type-Options', 'nosniff');
    context.header('Referrer-Policy', 'no-referrer');
    return context.html(documentationPage(documents()));
  });
  return app;
}

export function createHome(baseUrl: string): Hono {
  const app = new Hono();
  const authorization_server = `${baseUrl}${metadataPath}`;
  const index = { service: baseUrl, sandbox: `${baseUrl}/_sandbox`, authorization_server };
  for (const path of ['/', '/_sandbox/']) addIndex(app, path, { page: '/_sandbox', index });
  return app;
}

function documentationPage({ service, controls }: Documents): Markup {
  const { title } = service.info;
  const [{ url } = { url: '' }] = service.servers;
  const entries = operationEntries(service);
  return docsPage({
    title,
    heading: title,
    lead: html`The scheduling service on this machine, at <code>${url}</code>. Break it, speed it up, or move its clock:
      nothing outside is affected.`,
    links: {
      'OpenAPI document': '/_sandbox/openapi.json',
      'OpenAPI document of the controls': '/_sandbox/controls.openapi.json',
      'Authorization server': metadataPath,
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
