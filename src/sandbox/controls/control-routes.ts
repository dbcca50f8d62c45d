// The controls as HTTP, under /_sandbox: no token, but only for callers on this machine.
import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { operationsUnder } from '#src/sandbox/api/operations.ts';
import { createDocs } from '#src/sandbox/docs/routes.ts';
import { parseInput } from '#src/http/request.ts';
import { invalid, HttpError } from '#src/http/http-error.ts';
import type { ControlNeeds } from './control.ts';
import { controls } from './controls.ts';

type Panel = Hono<{ Bindings: HttpBindings }>;

export function createPanel(needs: ControlNeeds): Panel {
  const { options } = needs.service;
  const app: Panel = new Hono();
  app.use(async (context, next) => {
    const { remoteAddress } = context.env.incoming.socket;
    const { host, origin } = context.req.header();
    if (!isLoopback(remoteAddress) || !isLocalName(host) || !(origin === undefined || isLocalName(hostOf(origin))))
      throw new HttpError(403, { title: 'Forbidden', message: 'The controls answer to this machine only.' });
    await next();
  });
  for (const { method, path, body, run } of controls)
    app.on(method, path, async (context) => {
      const sent = method === 'GET' ? '' : await context.req.text();
      // Many tools send no body with a DELETE.
      const isBare = method === 'GET' || (method === 'DELETE' && sent.trim() === '');
      const asked = isBare ? context.req.query() : jsonOf(sent);
      const answer = await run(needs, body && parseInput(body, asked));
      return answer instanceof Response ? answer : context.json(answer);
    });
  app.route('/', createDocs({ operations: operationsUnder(options), controls, options }));
  return app;
}

const isLoopback = (address = ''): boolean => /^(::ffff:)?127\.|^::1$/.test(address);

/** Of the name asked for and of the page that asks: no site reaches in by rebinding its name, or by posting across. */
const isLocalName = (host = ''): boolean => /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/.test(host);

const hostOf = (origin: string): string => URL.parse(origin)?.host ?? '';

function jsonOf(text: string): unknown {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw invalid({ message: 'The body is not JSON.' });
  }
}
