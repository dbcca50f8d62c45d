// A bare Hono server: it reads the body and accepts the delivery.   node bench/baseline.ts PORT
import { serve } from '@hono/node-server';
import { Hono } from 'hono';

const app = new Hono();
app.post('/webhooks', async (context) => {
  await context.req.arrayBuffer();
  return context.json({ title: 'Accepted', message: 'The delivery is stored and will be processed.' }, 202);
});
const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: Number(process.argv[2]) });
process.once('SIGTERM', () => void server.close());
