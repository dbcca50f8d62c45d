// The documentation as HTTP: the OpenAPI document for programs, the page for people.
import { Hono } from 'hono';
import type { OpenApiDocument } from '#src/http/openapi/document.ts';
import { pagePolicy } from '#src/http/openapi/page.ts';
import type { Markup } from '#src/http/openapi/page-schema.ts';
import { documentationPage } from './docs-page.ts';
import { adminDocument } from './openapi.ts';
import type { Operation } from '#src/api/operation.ts';

export function createDocs(operations: readonly Operation[]): Hono {
  const app = new Hono();
  let made: Made | undefined;
  function madeFor(url: string): Made {
    // As the caller reached us: behind a proxy nobody else knows the address.
    const { origin } = new URL(url);
    if (made?.origin === origin) return made;
    const document = adminDocument(operations, { server: origin });
    return (made = { origin, document, page: documentationPage(document) });
  }
  app.get('/openapi.json', (context) => context.json(madeFor(context.req.url).document));
  app.get('/docs', (context) => {
    context.header('content-security-policy', pagePolicy);
    return context.html(madeFor(context.req.url).page);
  });
  return app;
}

/** The last one made: making it takes longer than all else a page costs, and callers rarely differ. */
interface Made {
  readonly origin: string;
  readonly document: OpenApiDocument;
  readonly page: Markup;
}
