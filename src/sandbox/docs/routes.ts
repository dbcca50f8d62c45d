// Serves the documentation: the front page of the service, and under /_sandbox an index, the OpenAPI documents and the page.
import { Hono } from 'hono';
import { metadataPath } from '#schemas/oauth.ts';
import { acceptsHtml } from '#src/http/request.ts';
import { pagePolicy } from '#src/http/openapi/page.ts';
import type { ServiceOperation } from '#src/sandbox/api/service-operation.ts';
import type { Control } from '#src/sandbox/controls/control.ts';
import type { ServiceOptions } from '#src/sandbox/world/service.ts';
import { controlDocument, openApiDocument } from './openapi.ts';
import { documentationPage, type PageDocuments } from './page.ts';

export interface DocsNeeds {
  readonly operations: readonly ServiceOperation[];
  readonly controls: readonly Control[];
  readonly options: Pick<ServiceOptions, 'baseUrl' | 'flat'>;
}

export function createDocs({ operations, controls, options }: DocsNeeds): Hono {
  const app = new Hono();
  // Made by the first request: most sandboxes never get one.
  let made: PageDocuments | undefined;
  const documents = (): PageDocuments =>
    (made ??= {
      service: openApiDocument(operations, options),
      controls: controlDocument(controls, options),
    });
  app.get('/', (context) => {
    context.header('Vary', 'Accept');
    return acceptsHtml(context.req.header('accept'))
      ? context.redirect('/_sandbox/docs')
      : context.json(indexOf(controls, options.baseUrl));
  });
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

function indexOf(controls: readonly Control[], baseUrl: string): object {
  const home = `${baseUrl}/_sandbox`;
  return {
    service: baseUrl,
    page: `${home}/docs`,
    openapi: `${home}/openapi.json`,
    controls_openapi: `${home}/controls.openapi.json`,
    controls: controls.map(({ method, path, summary }) => ({ method, url: home + path, summary })),
  };
}

/** Browsers are sent to the documentation; programs get the addresses. */
export function createHome(baseUrl: string): Hono {
  const app = new Hono();
  for (const path of ['/', '/_sandbox/'])
    app.get(path, (context) => {
      context.header('Vary', 'Accept');
      if (acceptsHtml(context.req.header('accept'))) return context.redirect('/_sandbox');
      return context.json({
        service: baseUrl,
        sandbox: `${baseUrl}/_sandbox`,
        authorization_server: `${baseUrl}${metadataPath}`,
      });
    });
  return app;
}
