// The errors that an operation answers with: each has the status and the body that the specification documents.
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { ApiScope } from '#schemas/api-scope.ts';
import {
  commonError,
  insufficientScope,
  invalidArgument,
  permissionDeniedTitle,
  publicErrors,
  rateLimited,
} from '#schemas/errors.ts';
import type { ErrorBody } from '#schemas/errors.ts';

export type ErrorDetail = { readonly message: string; readonly parameter?: string; readonly code?: string };

export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly status: ContentfulStatusCode;
  readonly body: ErrorBody & { readonly required_scopes?: readonly ApiScope[] };
  /** For the header `Retry-After`. */
  readonly retryAfterSeconds: number | undefined;

  constructor(status: HttpError['status'], body: HttpError['body'], retryAfterSeconds?: number) {
    super(body.message);
    this.status = status;
    this.body = body;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** 400. Most endpoints document the title `Internal Server Error` for it; that of invitations is not shown (A16). */
export const invalid = (...details: readonly ErrorDetail[]): HttpError =>
  new HttpError(400, { ...invalidArgument, details: [...details] });

export const unauthenticated = (message: string): HttpError =>
  new HttpError(401, { ...commonError, details: [{ message }] });

export const lacksScopes = (required_scopes: readonly ApiScope[]): HttpError =>
  new HttpError(403, { ...insufficientScope, required_scopes });

export const denied = (message: string): HttpError => new HttpError(403, { title: permissionDeniedTitle, message });

export const notFound = (message: string, parameter?: string): HttpError =>
  new HttpError(404, { ...commonError, details: [{ message, ...(parameter === undefined ? {} : { parameter }) }] });

export const conflict = (detail: ErrorDetail): HttpError => new HttpError(409, { ...commonError, details: [detail] });

export const tooManyRequests = (seconds: number): HttpError =>
  new HttpError(429, { ...rateLimited, details: [{ message: `Try again in ${seconds} seconds.` }] });

export const serverError = (status = 500): HttpError =>
  new HttpError(isServerStatus(status) ? status : 500, { ...commonError });

const isServerStatus = (status: number): status is 500 => status >= 500 && status <= 599;

/** The same error as the public service titles it: programs choose what they throw by the title. */
export function withPublicTitle(error: HttpError): HttpError {
  const { status, body } = error;
  const shown = publicErrors[status];
  return shown === undefined || body.title !== commonError.title ? error : new HttpError(status, { ...body, ...shown });
}

const statusTitles: Readonly<Record<number, string>> = {
  400: 'Invalid Argument',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  413: 'Content Too Large',
  414: 'URI Too Long',
  503: 'Service Unavailable',
};

/**
 * The same error with the title of its status. The service has one title and one general message for nearly every error;
 * operations of our own put the details into the message instead.
 */
export function withStatusTitle(error: HttpError): HttpError {
  const { status, body } = error;
  const title = statusTitles[status];
  if (title === undefined) return error;
  const message = (body.details ?? []).map(sentenceOf).join(' ');
  const worded = { ...body, title, message: message === '' ? body.message : message };
  return new HttpError(status, worded, error.retryAfterSeconds);
}

export const titledError = (
  status: 404 | 405 | 413 | 414 | 503,
  message: string,
  retryAfterSeconds?: number,
): HttpError => withStatusTitle(new HttpError(status, { title: '', message }, retryAfterSeconds));

/** A sentence stays as it is; anything else names its parameter: `limit: a whole number from 1 to 1000.` */
function sentenceOf({ message, parameter }: NonNullable<ErrorBody['details']>[number]): string {
  if (/[.?]$/.test(message)) return message;
  return parameter == null ? `${message}.` : `${parameter}: ${message}.`;
}
