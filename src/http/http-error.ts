// How the service says no: every refusal is one of these, with the specification's status and body.
import type { ApiScope } from '#schemas/api-scope.ts';
import {
  commonError,
  insufficientScope,
  invalidArgument,
  permissionDeniedTitle,
  rateLimited,
} from '#schemas/errors.ts';
import type { ErrorBody } from '#schemas/errors.ts';

export type Detail = { readonly message: string; readonly parameter?: string; readonly code?: string };

export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  readonly body: ErrorBody & { readonly required_scopes?: readonly ApiScope[] };

  constructor(status: Refusal['status'], body: Refusal['body']) {
    super(body.message);
    this.status = status;
    this.body = body;
  }
}

/** 400. Most endpoints document the title `Internal Server Error` for it; that of invitations is not shown (A16). */
export function invalid(...details: readonly Detail[]): Refusal {
  return new Refusal(400, { ...invalidArgument, details: [...details] });
}

export const unauthenticated = (message: string): Refusal =>
  new Refusal(401, { ...commonError, details: [{ message }] });

export const lacksScopes = (required_scopes: readonly ApiScope[]): Refusal =>
  new Refusal(403, { ...insufficientScope, required_scopes });

export const denied = (message: string): Refusal => new Refusal(403, { title: permissionDeniedTitle, message });

export const notFound = (message: string, parameter?: string): Refusal =>
  new Refusal(404, { ...commonError, details: [{ message, ...(parameter === undefined ? {} : { parameter }) }] });

export const conflict = (detail: Detail): Refusal => new Refusal(409, { ...commonError, details: [detail] });

export const tooManyRequests = (seconds: number): Refusal =>
  new Refusal(429, { ...rateLimited, details: [{ message: `Try again in ${seconds} seconds.` }] });

export const serverError = (status: number): Refusal => new Refusal(status, { ...commonError });
