// Turns any error of the queue into one that operators may see: transient, and safe to log as a whole.
import { describeDriverError, SlotstreamError } from '#src/base/errors.ts';

export function queueFailure(error: unknown): SlotstreamError {
  if (error instanceof SlotstreamError) return error;
  return new SlotstreamError('queue_unavailable', `The queue failed: ${describeDriverError(error)}.`, {
    hint: 'Nothing accepted is lost. Check that the queue at QUEUE_URL runs, is reachable and has room.',
  });
}
