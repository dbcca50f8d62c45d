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
  const said = knownSentence(error);
  return new SlotstreamError('queue_unavailable', `The queue failed: ${said ?? failureCode(error)}.`, {
    hint: 'Nothing accepted is lost. Check that the queue at QUEUE_URL runs, is reachable and has room.',
  });
}

// Sentences of BullMQ, ioredis and pg themselves: they name jobs by number and hosts by address, and never hold data.
const sentences = [
  /^(could not renew lock|Missing (lock|key)|Lock mismatch) for job/,
  /^(Connection is closed|Socket timeout|Command timed out|Stream isn't writeable|Reached the max retries)/,
  /^(Cluster isn't ready|Failed to refresh slots cache|All sentinels are unreachable)/,
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout)/,
  /^(connect E[A-Z]+|no answer within)/,
];

function knownSentence(error: unknown): string | undefined {
  if (!(error instanceof Error) || !sentences.some((sentence) => sentence.test(error.message))) return undefined;
  return error.message.split('\n')[0]?.replace(/\.$/, '').slice(0, 200);
}
