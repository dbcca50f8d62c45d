// Classifies an attempt: done, or failed, and then whether the same request may be sent again. Pure.
import { errorBody, insufficientScopeBody } from '#schemas/errors.ts';
import { readRecord } from '#schemas/odd-values.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import { ApiError } from './api-error.ts';
import type { RetryBudget } from './retry-budgets.ts';
import type { Attempt, AttemptResponse } from './send-once.ts';

export interface RequestSummary {
  /** `GET /contacts`. */
  readonly what: string;
  /** Sending it twice does no harm. */
  readonly isRepeatable: boolean;
  readonly expectsJson: boolean;
  readonly redact: (text: string) => string;
}

export type AttemptResult =
  | { readonly kind: 'done'; readonly response: AttemptResponse }
  | {
      readonly kind: 'failed';
      readonly error: SlotstreamError;
      /** The budget a retry is charged to; undefined when the request must not be repeated. */
      readonly retry: keyof RetryBudget | undefined;
      readonly mayHaveHappened: boolean;
    };

export function classifyAttempt(attempt: Attempt, request: RequestSummary): AttemptResult {
  if (attempt.kind === 'failed')
    return noResponse(request, { reason: attempt.reason, mayHaveHappened: attempt.wasSent });
  const { status } = attempt;
  if (status < 300) {
    if (attempt.isJson || !request.expectsJson) return { kind: 'done', response: attempt };
    return noResponse(request, { reason: `the response (${status}) is not valid JSON`, mayHaveHappened: true });
  }
  // With 429 and 503 the service did nothing; any other server error may come after the change was made.
  const mayHaveHappened = status >= 500 && status !== 503;
  const isOutcomeUnknown = mayHaveHappened && !request.isRepeatable;
  return {
    kind: 'failed',
    error: apiErrorOf(attempt, request, isOutcomeUnknown),
    retry: isOutcomeUnknown ? undefined : budgetFor(status),
    mayHaveHappened,
  };
}

function budgetFor(status: number): keyof RetryBudget | undefined {
  if (status === 429) return 'limitsMs';
  const isTemporary = status === 408 || (status >= 500 && status !== 501 && status !== 505);
  return isTemporary ? 'failuresMs' : undefined;
}

function noResponse(
  request: RequestSummary,
  { reason, mayHaveHappened }: { reason: string; mayHaveHappened: boolean },
): AttemptResult {
  const isOutcomeUnknown = mayHaveHappened && !request.isRepeatable;
  const error = isOutcomeUnknown
    ? new SlotstreamError('unknown_outcome', `${request.what}: ${reason}, so its outcome is unknown.`, {
        hint: 'Check whether it was carried out before you send it again.',
      })
    : new SlotstreamError('service_unavailable', mayHaveHappened ? `${request.what}: ${reason}.` : `${reason}.`, {
        hint: 'Check API_BASE_URL and the network, or try again later.',
      });
  return { kind: 'failed', error, retry: isOutcomeUnknown ? undefined : 'failuresMs', mayHaveHappened };
}

function apiErrorOf(
  { status, body, observed }: AttemptResponse,
  request: RequestSummary,
  isOutcomeUnknown: boolean,
): ApiError {
  const scoped = readRecord(insufficientScopeBody, body);
  const plain = scoped.ok ? scoped : readRecord(errorBody, body);
  return new ApiError({
    request: request.what,
    status,
    body: plain.ok ? plain.record : undefined,
    observed,
    isOutcomeUnknown,
    redact: request.redact,
  });
}
