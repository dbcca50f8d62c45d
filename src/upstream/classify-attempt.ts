// What an attempt came to: done, or failed, and then whether the same request may be sent again. Pure.
import { errorBody, insufficientScopeBody } from '#schemas/errors.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import { ApiError } from './api-error.ts';
import type { Attempt } from './send-once.ts';

export interface Asked {
  /** `GET /contacts`. */
  readonly what: string;
  /** Carried out twice, it does no harm. */
  readonly isRepeatable: boolean;
  readonly expectsJson: boolean;
  /** Blanks the token. */
  readonly scrub: (text: string) => string;
}

type AnsweredAttempt = Extract<Attempt, { kind: 'answered' }>;

export type Verdict =
  | { readonly kind: 'done'; readonly answer: AnsweredAttempt }
  | {
      readonly kind: 'failed';
      readonly error: SlotstreamError;
      /** Whose patience a repetition uses up; undefined when there is to be none. */
      readonly repeat: 'failuresMs' | 'limitsMs' | undefined;
      readonly mayHaveHappened: boolean;
    };

export function verdictOn(attempt: Attempt, asked: Asked): Verdict {
  if (attempt.kind === 'failed') return broken(asked, { why: attempt.why, mayHaveHappened: attempt.wasSent });
  const { status } = attempt;
  if (status < 300) {
    if (attempt.isJson || !asked.expectsJson) return { kind: 'done', answer: attempt };
    return broken(asked, { why: `the answer (${status}) is not the JSON it should be`, mayHaveHappened: true });
  }
  // 429 and 503 say that nothing was done; any other failure of a server may come after the deed.
  const mayHaveHappened = status >= 500 && status !== 503;
  const isOutcomeUnknown = mayHaveHappened && !asked.isRepeatable;
  return {
    kind: 'failed',
    error: refusalOf(attempt, asked, isOutcomeUnknown),
    repeat: isOutcomeUnknown ? undefined : patienceFor(status),
    mayHaveHappened,
  };
}

function patienceFor(status: number): 'failuresMs' | 'limitsMs' | undefined {
  if (status === 429) return 'limitsMs';
  const passes = status === 408 || (status >= 500 && status !== 501 && status !== 505);
  return passes ? 'failuresMs' : undefined;
}

function broken(asked: Asked, { why, mayHaveHappened }: { why: string; mayHaveHappened: boolean }): Verdict {
  const isOutcomeUnknown = mayHaveHappened && !asked.isRepeatable;
  const error = isOutcomeUnknown
    ? new SlotstreamError('unknown_outcome', `${asked.what}: ${why}, so whether it was carried out is not known.`, {
        hint: 'Look whether it is there before sending it again.',
      })
    : new SlotstreamError('service_unavailable', `${asked.what}: ${why}.`, {
        hint: 'Check API_BASE_URL and the network, or try again later.',
      });
  return { kind: 'failed', error, repeat: isOutcomeUnknown ? undefined : 'failuresMs', mayHaveHappened };
}

function refusalOf({ status, body, observed }: AnsweredAttempt, asked: Asked, isOutcomeUnknown: boolean): ApiError {
  const scoped = insufficientScopeBody.safeParse(body);
  const plain = scoped.success ? scoped : errorBody.safeParse(body);
  return new ApiError({
    asked: asked.what,
    status,
    body: plain.success ? plain.data : undefined,
    observed,
    isOutcomeUnknown,
    scrub: asked.scrub,
  });
}
