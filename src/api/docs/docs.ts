// The documentation of the API: the OpenAPI document for programs, a page for people.
import { html } from 'hono/html';
import type { OpenApiDocument } from '#src/http/openapi/document.ts';
import { docsPage, isTagged, operationEntries, pagePolicy } from '#src/http/openapi/page.ts';
import { prose, type Markup } from '#src/http/openapi/page-schema.ts';
import { apiDocument, type DocumentedOperation } from './openapi.ts';

/** The last document that was made: making one takes longer than anything else about a page, and callers rarely differ. */
interface CachedDocs {
  readonly origin: string;
  readonly document: OpenApiDocument;
  readonly page: Markup;
}

/** Where the admin token is stored; undefined where it was configured. */
interface DocsOptions {
  readonly tokenFile?: string | undefined;
}

export function createDocs(operations: readonly DocumentedOperation[], options: DocsOptions) {
  let cached: CachedDocs | undefined;
  function docsFor(url: string): CachedDocs {
    // Behind a proxy only the caller knows the address of the API.
    const { origin } = new URL(url);
    if (cached?.origin === origin) return cached;
    const document = apiDocument(operations, { server: origin });
    return (cached = { origin, document, page: pageOf(document, options) });
  }
  return {
    document: ({ url }: Request): OpenApiDocument => docsFor(url).document,
    page: async ({ url }: Request): Promise<Response> =>
      new Response(String(await docsFor(url).page), {
        headers: { 'content-type': 'text/html; charset=UTF-8', 'content-security-policy': pagePolicy },
      }),
  };
}

function pageOf(document: OpenApiDocument, { tokenFile }: DocsOptions): Markup {
  const { info, tags, servers, components } = document;
  const entries = operationEntries(document, { token: 'ADMIN_TOKEN', notes });
  return docsPage({
    title: `${info.title} API`,
    heading: info.title,
    lead: html`${prose(info.description)} The token is <code>ADMIN_TOKEN</code>, or the file
      <code>admin-token</code> in the data folder. <code>./bin/slotstream status --login</code> logs a browser in.`,
    links: { 'OpenAPI document': '/openapi.json', Status: '/api/status', Metrics: '/metrics' },
    example: `export ADMIN_TOKEN=${tokenFile === undefined ? '…' : `"$(cat '${tokenFile}')"`}
curl -H "Authorization: Bearer $ADMIN_TOKEN" ${servers[0]?.url ?? ''}/api/status`,
    chapters: tags.map(({ name, description }) => ({
      title: name,
      about: description,
      entries: entries.filter(isTagged(name)),
    })),
    schemas: components.schemas,
  });
}

const notes = { BadRequestOfService: 'Bad request. Its title is the service’s own: “Internal Server Error”.' };
