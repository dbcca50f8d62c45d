// What may be said about a failure. Errors of the drivers carry the command they failed on, and so people's data
// (ioredis in `command.args`, pg in `detail` and `where`, JSON.parse in its message): none of that leaves here.

import { SlotstreamError } from '#src/errors.ts';

/** A short name for any error, without anything of the data it happened to; the only failure text a job keeps. */
export function failureCode(error: unknown): string {
  if (!(error instanceof Error)) return 'Error';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (/^[\w-]{1,40}$/.test(code)) return code;
  if (error.name === 'ReplyError') return /^[A-Z]+\b/.exec(error.message)?.[0] ?? 'ReplyError';
  return /^\w{1,40}$/.test(error.name) ? error.name : 'Error';
}

/** The error as operators may see it: transient, and safe to log whole. */
export function queueFailure(error: unknown): SlotstreamError {
  if (error instanceof SlotstreamError) return error;
  const said = bullmqSentence(error);
  return new SlotstreamError('queue_unavailable', `The queue failed: ${said ?? failureCode(error)}.`, {
    hint: 'Nothing accepted is lost. Check that the queue at QUEUE_URL runs, is reachable and has room.',
  });
}

// BullMQ's and ioredis's own sentences name jobs by number and say what is wrong; they never hold data.
const sentences =
  /^(could not renew lock for job|Missing (lock|key) for job|Lock mismatch|Connection is closed|Socket timeout|Command timed out|Stream isn't writeable|connect E[A-Z]+|no answer within|Reached the max retries)/;

function bullmqSentence(error: unknown): string | undefined {
  return error instanceof Error && sentences.test(error.message) ? error.message.split('\n')[0]?.slice(0, 200) : undefined;
}
