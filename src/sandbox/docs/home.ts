// The front door: people are shown to the documentation, programs are told where things are.
import { Hono } from 'hono';
import { metadataPath } from '#schemas/oauth.ts';
import { acceptsHtml } from '#src/http/request.ts';

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
