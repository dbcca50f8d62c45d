// What may be said about a failure. Errors of the drivers carry the command they failed on, and so people's data
// (ioredis in `command.args`, pg in `detail` and `where`, JSON.parse in its message): none of that leaves here.

import { codeOf, SlotstreamError } from '#src/base/errors.ts';

/** The error as operators may see it: transient, and safe to log whole. */
export function queueFailure(error: unknown): SlotstreamError {
  if (error instanceof SlotstreamError) return error;
  const said = knownSentence(error);
  return new SlotstreamError('queue_unavailable', `The queue failed: ${said ?? codeOf(error)}.`, {
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
