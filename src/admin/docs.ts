// The documentation as HTTP: the OpenAPI document for programs, the page for people.
import { Hono } from 'hono';
import { pagePolicy } from '#src/openapi/page.ts';
import { documentationPage } from './docs-page.ts';
import { adminDocument } from './document.ts';
import type { Operation } from './operation.ts';

export function createDocs(operations: readonly Operation[]): Hono {
  const app = new Hono();
  // As the caller reached us: behind a proxy nobody else knows the address.
  const documentFor = (url: string) => adminDocument(operations, { server: new URL(url).origin });
  app.get('/openapi.json', (context) => context.json(documentFor(context.req.url)));
  app.get('/docs', (context) => {
    context.header('content-security-policy', pagePolicy);
    return context.html(documentationPage(documentFor(context.req.url)));
  });
  return app;
}
