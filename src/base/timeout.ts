// A promise that may never settle, made one that does: engines hang for ever when they are down in the wrong way.

/** Rejects after `ms`. The late result, good or bad, is nobody's any more. */
export function withDeadline<T>(promise: Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new DeadlineError(ms)), ms);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

class DeadlineError extends Error {
  readonly code = 'ETIMEDOUT';

  constructor(ms: number) {
    super(`no answer within ${ms} ms`);
    this.name = 'DeadlineError';
  }
}
