// Serves the controls under /_sandbox: without a token, but only for callers on this machine.
import type { HttpBindings } from '@hono/node-server';
import { Hono, type Context as HonoContext } from 'hono';
import { HttpError, invalid } from '#src/http/http-error.ts';
import { addOperations } from '#src/http/router.ts';
import { operationsUnder } from '#src/sandbox/api/service-app.ts';
import { createDocs } from '#src/sandbox/docs/routes.ts';
import { accountControls, formControls } from './account.ts';
import { clockControls, webhookControls } from './webhooks.ts';
import type { Control, ControlContext } from './control.ts';
import { inviteeControls, meetingRecapControls, routingFormControls, schedulingLinkControls } from './people.ts';
import { customFieldControls, eventTypeControls, userControls } from './settings.ts';
import { stateControls } from './state.ts';

export const controls: readonly Control[] = [
  ...formControls,
  ...accountControls,
  ...customFieldControls,
  ...userControls,
  ...eventTypeControls,
  ...meetingRecapControls,
  ...routingFormControls,
  ...inviteeControls,
  ...schedulingLinkControls,
  ...clockControls,
  ...webhookControls,
  ...stateControls,
];

type ControlApp = Hono<{ Bindings: HttpBindings }>;

export function createControlApp(context: ControlContext): ControlApp {
  const { options } = context.service;
  const app: ControlApp = new Hono();
  app.use(async (http, next) => {
    const { remoteAddress } = http.env.incoming.socket;
    const { host, origin } = http.req.header();
    if (!isLoopback(remoteAddress) || !isLocalName(host) || !(origin === undefined || isLocalName(hostOf(origin))))
      throw new HttpError(403, { title: 'Forbidden', message: 'The controls answer to this machine only.' });
    await next();
  });
  addOperations(app, { admit: () => context, readBody: readLenientBody }, controls);
  app.route('/', createDocs({ operations: () => operationsUnder(options), controls, options }));
  return app;
}

const isLoopback = (address = ''): boolean => /^(::ffff:)?127\.|^::1$/.test(address);

/** For the requested host and for the page that sends the request: no site gets in by DNS rebinding or by a cross-site POST. */
const isLocalName = (host = ''): boolean => /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/.test(host);

const hostOf = (origin: string): string => URL.parse(origin)?.host ?? '';

/** Controls are called by hand: the type of the body need not be declared, and no body is an empty object. */
async function readLenientBody({ req }: HonoContext): Promise<unknown> {
  const text = (await req.text()).trim();
  // Many tools send no body with a DELETE.
  if (text === '') return req.method === 'DELETE' ? req.query() : {};
  try {
    const body: unknown = JSON.parse(text);
    return body;
  } catch {
    throw invalid({ message: 'The body is not JSON.' });
  }
}
