// The dashboard without sockets: the admin listener with its pages, on a store of its own.
import { createDashboard } from '#src/addons/dashboard/dashboard.ts';
import { bearer, readToken } from './api-app.ts';
import { openReadApi, type ReadApiOptions } from './read-api.ts';

export interface PageAnswer {
  readonly status: number;
  readonly html: string;
  readonly headers: Headers;
}

export async function openDashboard(fresh: Parameters<typeof openReadApi>[0], options: ReadApiOptions = {}) {
  const reported: unknown[] = [];
  const dashboard = createDashboard({
    version: '0.0.0',
    timezone: () => 'Europe/Berlin',
    clock: options.clock ?? Date.now,
    report: (error) => void reported.push(error),
  });
  const api = await openReadApi(fresh, { ...options, admin: { pages: async () => dashboard, ...options.admin } });

  async function answerOf(path: string, init: RequestInit): Promise<PageAnswer> {
    const response = await api.admin.ask(path, init);
    return { status: response.status, html: await response.text(), headers: response.headers };
  }
  const visitorWith = (authorization: string) => ({
    page: (path: string, headers: Readonly<Record<string, string>> = {}): Promise<PageAnswer> =>
      answerOf(path, { headers: { authorization, accept: 'text/html', ...headers } }),
    submit: (path: string, fields: Readonly<Record<string, string>> = {}): Promise<PageAnswer> =>
      answerOf(path, {
        method: 'POST',
        body: new URLSearchParams(fields),
        headers: { authorization, accept: 'text/html' },
      }),
  });
  return {
    ...api,
    /** What the pages reported: errors that are not the visitor's. */
    reported,
    ...visitorWith(bearer.authorization),
    reader: visitorWith(`Bearer ${readToken}`),
  };
}
