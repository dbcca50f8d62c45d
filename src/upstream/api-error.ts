// A refusal or failure the service put into an answer: what was asked, what it said, and what to do about it.
import { permissionDeniedTitle, type ErrorBody } from '#schemas/errors.ts';
import { SlotstreamError, type ErrorCode } from '#src/base/errors.ts';
import { safeText } from '#src/observability/redact.ts';

export interface ApiErrorDetail {
  readonly message: string;
  readonly parameter: string | undefined;
  readonly code: string | undefined;
}

export interface ApiErrorFacts {
  /** `GET /contacts`: method and path. Never the query, which can name people. */
  readonly asked: string;
  readonly status: number;
  /** Undefined when the answer was no error body of the service: a proxy's page, say. */
  readonly body: (ErrorBody & { readonly required_scopes?: readonly string[] | null | undefined }) | undefined;
  /** As in `Answered`: a 404 is a fact with a time, too. */
  readonly observed: string;
  /** Whether it may have been carried out although it failed: a create that met a server error. */
  readonly isOutcomeUnknown: boolean;
  /** Blanks what must not be seen, the token first of all, in the service's own words. */
  readonly scrub: (text: string) => string;
}

export class ApiError extends SlotstreamError {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly title: string;
  readonly apiMessage: string;
  readonly details: readonly ApiErrorDetail[];
  /** What the token lacks, when that is why; empty otherwise. */
  readonly requiredScopes: readonly string[];
  readonly isTransient: boolean;
  readonly observed: string;
  /** The service itself said so, in its own form; else anybody on the way may have: a proxy, say. */
  readonly isOfService: boolean;

  constructor(facts: ApiErrorFacts) {
    const told = wordsOf(facts);
    const code = codeFor(facts);
    const hint = hintFor(facts.status, told);
    super(code, messageOf(facts, told), hint === undefined ? {} : { hint });
    this.status = facts.status;
    this.title = told.title;
    this.apiMessage = told.message;
    this.details = told.details;
    this.requiredScopes = told.scopes;
    this.isTransient = code === 'service_unavailable';
    this.observed = facts.observed;
    this.isOfService = facts.body !== undefined;
  }
}

/** The token of a page has a life of its own: the list must be begun again. */
export function isExpiredToken(error: unknown): error is ApiError {
  return isStatus(error, 400) && error.details.some(({ parameter }) => parameter === 'page_token');
}

export function isStatus(error: unknown, status: number): error is ApiError {
  return error instanceof ApiError && error.status === status;
}

interface Words {
  readonly title: string;
  readonly message: string;
  readonly details: readonly ApiErrorDetail[];
  readonly scopes: readonly string[];
}

const mostDetails = 20;

/** Their words may quote what was sent, people included, so they are cut and blanked like anything that gets written down. */
function wordsOf({ body, scrub }: ApiErrorFacts): Words {
  const safe = (text: string): string => safeText(scrub(text));
  return {
    title: safe(body?.title ?? ''),
    message: safe(body?.message ?? ''),
    details: (body?.details ?? []).slice(0, mostDetails).map(({ message, parameter, code }) => ({
      message: safe(message),
      parameter: parameter == null ? undefined : safe(parameter),
      code: code == null ? undefined : safe(code),
    })),
    scopes: (body?.required_scopes ?? []).slice(0, mostDetails).map(safe),
  };
}

function codeFor({ status, isOutcomeUnknown }: ApiErrorFacts): ErrorCode {
  if (isOutcomeUnknown) return 'unknown_outcome';
  if (status === 404) return 'not_found';
  return status === 429 || status === 408 || status >= 500 ? 'service_unavailable' : 'refused';
}

function messageOf({ asked, status, isOutcomeUnknown }: ApiErrorFacts, { title, message, details }: Words): string {
  // Most failures are documented with the title of a server error, whatever they are; the status tells, the title would lie.
  const named = /^internal server error$/i.test(title) ? '' : title;
  const reasons = details.map(({ parameter, message }) =>
    parameter === undefined ? message : `${parameter}: ${message}`,
  );
  const words = reasons.length > 0 ? reasons : named === '' ? [] : [message];
  const said = [named, ...words].filter((text) => text !== '').join(': ');
  const whole = `${asked}: the service answered ${status} ${meaningOf(status)}${said === '' ? '' : `: ${said}`}`;
  const ended = /[.!?]$/.test(whole) ? whole : `${whole}.`;
  return isOutcomeUnknown ? `${ended} It may have been carried out all the same.` : ended;
}

const meanings: Readonly<Record<number, string>> = {
  400: 'request not valid',
  401: 'token not accepted',
  403: 'not permitted',
  404: 'not found',
  409: 'exists already',
  429: 'too many calls',
};

const meaningOf = (status: number): string =>
  meanings[status] ?? (status >= 500 ? 'failure of the service' : 'refused');

function hintFor(status: number, { title, message, scopes }: Words): string | undefined {
  if (scopes.length > 0)
    return `Give the token these scopes: ${scopes.join(', ')}. A personal access token is made anew with them; with OAuth: npx slotstream login`;
  switch (status) {
    case 400:
      return 'Correct what is named above.';
    case 401:
      return 'Check API_TOKEN (it may be revoked or of another service), or log in again: npx slotstream login';
    case 403:
      return permissionHint(title, message);
    case 404:
      return 'It is gone, or belongs to another organization than the token.';
    case 409:
      return 'Look for the one that exists already.';
    case 429:
      return 'The limit is shared by everything that calls as this user. Try again in a minute.';
    default:
      return status >= 500 ? 'Try again later; the service has a fault.' : undefined;
  }
}

function permissionHint(title: string, message: string): string {
  if (/upgrade|paid plan|plan\b|level/i.test(message))
    return 'The plan of the account does not include this: upgrade it, or do without.';
  return title === permissionDeniedTitle
    ? 'Use the token of an owner or administrator of the organization.'
    : 'Use a token that may do this.';
}
