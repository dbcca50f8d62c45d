// Refuses page tokens that were issued too many calls ago, as the injected faults say: calls of the same list do not count.
import type { MiddlewareHandler } from 'hono';
import { invalidArgument } from '#schemas/errors.ts';
import { propertyOf } from '#schemas/wire.ts';
import type { FaultInjector } from '#src/sandbox/webhooks/faults.ts';

export function pageTokenFaults(faults: FaultInjector): MiddlewareHandler {
  let calls = 0;
  const callsByPath = new Map<string, number>();
  /** By token: how many calls of other paths there had been. */
  const issued = new Map<string, number>();

  return async (http, next) => {
    const { path } = http.req;
    const most = faults.current.page_token_calls;
    calls += 1;
    callsByPath.set(path, (callsByPath.get(path) ?? 0) + 1);
    if (most === undefined) return next();
    const others = calls - (callsByPath.get(path) ?? 0);
    const issuedAt = issued.get(http.req.query('page_token') ?? '');
    if (issuedAt !== undefined && others - issuedAt >= most) return http.json(refusal, 400);
    await next();
    const body: unknown = http.req.method === 'GET' && http.res.ok ? await http.res.clone().json() : undefined;
    const token = propertyOf(propertyOf(body, 'pagination'), 'next_page_token');
    if (typeof token === 'string') issued.set(token, others);
  };
}

const refusal = { ...invalidArgument, details: [{ parameter: 'page_token', message: 'is invalid' }] };
