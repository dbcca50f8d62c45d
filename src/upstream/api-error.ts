// An error response of the service: the request, the reason the service gave, and a hint what to do about it.
import { slotstream } from '#src/base/command.ts';
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
  readonly request: string;
  readonly status: number;
  /** Undefined when the response has no error body of the service, such as the page of a proxy. */
  readonly body: (ErrorBody & { readonly required_scopes?: readonly string[] | null | undefined }) | undefined;
  /** As in `ApiResult`: a 404 is a fact with a time, too. */
  readonly observed: string;
  /** Whether the request may have been carried out although it failed: a create that met a server error. */
  readonly isOutcomeUnknown: boolean;
  /** Removes secrets, above all the token, from texts of the service. */
  readonly redact: (text: string) => string;
}

export class ApiError extends SlotstreamError {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly title: string;
  readonly apiMessage: string;
  readonly details: readonly ApiErrorDetail[];
  /** The scopes the token lacks, when that is the reason; empty otherwise. */
  readonly requiredScopes: readonly string[];
  readonly isTransient: boolean;
  readonly observed: string;
  /** True when the service itself sent the error; otherwise a proxy in between may have sent it. */
  readonly isFromService: boolean;

  constructor(facts: ApiErrorFacts) {
    const text = safeTextsOf(facts);
    const code = codeFor(facts);
    const hint = hintFor(facts, text);
    super(code, messageOf(facts, text), hint === undefined ? {} : { hint });
    this.status = facts.status;
    this.title = text.title;
    this.apiMessage = text.message;
    this.details = text.details;
    this.requiredScopes = text.scopes;
    this.isTransient = code === 'service_unavailable';
    this.observed = facts.observed;
    this.isFromService = facts.body !== undefined;
  }
}

/** True when a page token has expired (A13): the list cannot be continued with it. */
export const isExpiredToken = (error: unknown): error is ApiError =>
  isStatus(error, 400) && namesPageToken(error.apiMessage, error.details);

function namesPageToken(message: string, details: readonly ApiErrorDetail[]): boolean {
  const texts = details.flatMap((detail) => [detail.parameter ?? '', detail.message]);
  return [message, ...texts].some((text) => /page[_ ]?token/i.test(text));
}

export function isStatus(error: unknown, status: number): error is ApiError {
  return error instanceof ApiError && error.status === status;
}

interface SafeTexts {
  readonly title: string;
  readonly message: string;
  readonly details: readonly ApiErrorDetail[];
  readonly scopes: readonly string[];
}

const mostDetails = 20;

/** Texts of the service may quote what was sent, personal data included, so they are cut and redacted like any log line. */
function safeTextsOf({ body, redact }: ApiErrorFacts): SafeTexts {
  const safe = (text: string): string => safeText(redact(text));
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

function messageOf(
  { request, status, isOutcomeUnknown }: ApiErrorFacts,
  { title, message, details }: SafeTexts,
): string {
  // The documentation gives most errors the title of a server error, whatever their status: such a title would mislead.
  const named = /^internal server error$/i.test(title) ? '' : title;
  const reasons = details.map(({ parameter, message }) =>
    parameter === undefined ? message : `${parameter}: ${message}`,
  );
  const texts = reasons.length > 0 ? reasons : named === '' ? [] : [message];
  const reason = [named, ...texts].filter((text) => text !== '').join(': ');
  const sentence = `${request}: the service answered ${status} ${meaningOf(status)}${reason === '' ? '' : `: ${reason}`}`;
  const ended = /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
  return isOutcomeUnknown ? `${ended} It may have been carried out nevertheless.` : ended;
}

const meanings: Readonly<Record<number, string>> = {
  400: 'invalid request',
  401: 'token rejected',
  403: 'not permitted',
  404: 'not found',
  409: 'exists already',
  429: 'too many calls',
};

const meaningOf = (status: number): string => meanings[status] ?? (status >= 500 ? 'service error' : 'rejected');

function hintFor(
  { status, request }: ApiErrorFacts,
  { title, message, details, scopes }: SafeTexts,
): string | undefined {
  if (scopes.length > 0)
    return `Give the token these scopes: ${scopes.join(', ')}. Create a new personal access token with them, or with OAuth: ${slotstream} login`;
  switch (status) {
    case 400:
      return namesPageToken(message, details)
        ? 'The service ended this list before its last page was read. Try again; if it happens again, report it to the service.'
        : 'Correct the fields named above.';
    case 401:
      return `Check API_TOKEN (it may be revoked or of another service), or log in again: ${slotstream} login`;
    case 403:
      return permissionHint(title, message);
    case 404:
      // Every token has a user.
      if (request.endsWith('/users/me')) return 'Check the path of API_BASE_URL.';
      return 'It was deleted, or it belongs to another organization than the token.';
    case 409:
      return 'Look up the existing one.';
    case 429:
      return 'The limit is shared by all tools of this user. Try again in a minute.';
    default:
      return status >= 500 ? 'Try again later; the service has a problem.' : undefined;
  }
}

/** True when the message of a 403 says that the account needs a higher plan: there is no code for it. */
export const isAboutPlan = (message: string): boolean =>
  /upgrade|plan|level|features are (disabled|not enabled)/i.test(message);

function permissionHint(title: string, message: string): string {
  if (isAboutPlan(message)) return 'The plan of the account does not include this: upgrade it, or do not use this.';
  return title === permissionDeniedTitle
    ? 'Use the token of an owner or administrator of the organization.'
    : 'Use a token with this permission.';
}
