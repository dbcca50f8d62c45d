// The pages of the admin listener. They are loaded by the first request for one, and ask the API in this process.
import { Hono, type Context } from 'hono';
import { compress } from 'hono/compress';
import type { Pages, Visitor } from '#src/api/app.ts';
import { ApiError, apiErrorOf, createAsk } from '#src/api/ask.ts';
import { isProxied, localAddress } from '#src/api/auth/browser.ts';
import { statusRecord } from '#src/api/process.ts';
import { workerAddress } from '#src/api/worker-address.ts';
import { httpErrorOf, limitBody } from '#src/http/router.ts';
import { HttpError, titledError, withStatusTitle } from '#src/http/http-error.ts';
import { contentSecurityPolicy, documentOf, mainOf } from './layout.ts';
import type { Page, PageCall, Redirect, View } from './page.ts';
import { errorView } from './pages/error.ts';
import { processView } from './pages/now/process.ts';
import { pages } from './pages.ts';
import { searchPage } from './pages/search.ts';

export interface DashboardNeeds {
  readonly version: string;
  /** The time zone of reports. */
  timezone(): string;
  /** Where people find the pages, for a process that has none. */
  readonly adminUrl?: string | undefined;
  clock(): number;
  /** Receives errors that are not the caller's. */
  report(error: unknown): void;
}

type PageEnv = { Bindings: Visitor };
type PageContext = Context<PageEnv>;

/** The script asks for the content alone, to replace what changed. */
export const fragmentHeader = 'slotstream-fragment';

export function createDashboard(needs: DashboardNeeds): Pages {
  const app = new Hono<PageEnv>();
  app.use(compress());
  app.use(limitBody((message) => titledError(413, message)));

  async function send(context: PageContext, view: View, page?: Page): Promise<Response> {
    const isFragment = context.req.header(fragmentHeader) !== undefined;
    const { isReadOnly, reads } = context.env;
    const search = page === searchPage ? context.req.query('q') : undefined;
    const frame = {
      section: page?.section,
      search,
      isReadOnly,
      hasTables: reads !== undefined,
      version: needs.version,
    };
    const content = isFragment ? mainOf(view) : documentOf(view, frame);
    return context.html(await content, view.status ?? 200, {
      'content-security-policy': contentSecurityPolicy,
      // Without it a browser hides the origin of a form, and on plain HTTP the origin is all that distinguishes a form of our own from a forged one.
      'referrer-policy': 'same-origin',
      vary: `accept-encoding, ${fragmentHeader}`,
    });
  }

  async function answer(context: PageContext, page: Page, run: (call: PageCall) => ReturnType<Page['show']>) {
    try {
      const result = await run(await callOf(context, needs));
      if (result instanceof Response) return result;
      return isRedirect(result) ? context.redirect(result.to, 303) : await send(context, result, page);
    } catch (error) {
      if (!(error instanceof ApiError)) needs.report(error);
      return send(context, errorView(error, new URL(context.req.url)), page);
    }
  }

  /** A process without tables sends a browser on to one that has them, or says where they are. */
  async function leadOn(context: PageContext, page: Page): Promise<Response> {
    const { req, env } = context;
    const { processes = [], ...self } = statusRecord.parse(await env.status());
    const known = { adminUrl: needs.adminUrl, processes, self, nowMs: needs.clock() };
    // A proxy may hide the name that the browser asked for: it would be led in a circle.
    const base = isProxied(req.header()) ? undefined : workerAddress(new URL(req.url), known);
    if (base !== undefined) return context.redirect(base + localAddress(req.url, req.url));
    return answer(context, page, async (call) => ({ ...(await processView(call)), status: 404 }));
  }

  for (const page of pages) {
    app.get(page.path, (context) =>
      context.env.reads === undefined && page.path !== '/'
        ? leadOn(context, page)
        : answer(context, page, (call) => page.show(call)),
    );
    const { submit } = page;
    if (submit) app.post(page.path, (context) => answer(context, page, submit));
  }
  app.onError((error, context: PageContext) => {
    if (!(error instanceof HttpError)) needs.report(error);
    const shown = error instanceof HttpError ? refusal(error.status, error.body) : error;
    return send(context, errorView(shown, new URL(context.req.url)));
  });
  app.notFound((context: PageContext) => {
    const nothingHere = refusal(404, { title: 'Not Found', message: 'There is no page at this address.' });
    return send(context, errorView(nothingHere, new URL(context.req.url)));
  });
  return { fetch: (request, visitor) => app.fetch(request, visitor) };
}

const refusal = (status: number, { title, message }: { readonly title: string; readonly message: string }): ApiError =>
  new ApiError(status, { title, message, details: [] });

const isRedirect = (result: View | Redirect): result is Redirect => 'to' in result;

async function callOf(context: PageContext, { clock, timezone }: DashboardNeeds): Promise<PageCall> {
  const { isReadOnly, caller, reads, status } = context.env;
  const tables = () => {
    if (reads === undefined) throw refusal(404, { title: 'Not Found', message: noTables });
    return reads;
  };
  const url = new URL(context.req.url);
  const form = context.req.method === 'POST' ? await readForm(context) : new FormData();
  return {
    url,
    params: context.req.param(),
    query: filledIn(url.searchParams),
    form: filledIn(form),
    isReadOnly,
    ask: createAsk((id, input) => tables().run(id, input, caller)),
    status,
    async read(view) {
      const { context: mirror } = tables();
      try {
        return await view(mirror);
      } catch (error) {
        throw apiErrorOf(withStatusTitle(httpErrorOf(error, mirror)));
      }
    },
    nowMs: clock(),
    timezone: timezone(),
  };
}

const noTables = 'A process that only receives has no tables: use the admin listener of a worker.';

async function readForm({ req }: PageContext): Promise<FormData> {
  try {
    return await req.formData();
  } catch {
    throw refusal(400, { title: 'Bad Request', message: 'This is no form, or it is too large.' });
  }
}

/** A form sends every field; one that was left empty is no filter. */
const filledIn = (fields: Iterable<[string, unknown]>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...fields].filter((field): field is [string, string] => typeof field[1] === 'string' && field[1] !== ''),
  );
