// The least a receiver could do: the same listener and the same Hono, which only reads the body.   node bench/baseline.ts PORT
import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { responses, toResponse } from '#src/receiver/responses.ts';
import { readBody } from '#src/receiver/read-body.ts';
import { openListener } from '#src/receiver/listener.ts';

const app = new Hono<{ Bindings: HttpBindings }>();
app.post('/webhooks', async ({ env }) => {
  await new Promise((resolve) => readBody(env.incoming, { maxBytes: 1024 * 1024 }, resolve));
  return toResponse(responses.accepted);
});
const listener = await openListener({ host: '127.0.0.1', port: Number(process.argv[2]) });
listener.serve({ fetch: app.fetch, onClosing: () => {} });
process.once('SIGTERM', () => void listener.close());
