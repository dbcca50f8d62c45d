// Errors of the queue are sanitized.
import { describe, expect, it } from 'vitest';
import { isTransient, SlotstreamError, codeOf } from '#src/base/errors.ts';
import { toQueueError } from '#src/queue/bullmq/connection.ts';

function failing(message: string, more: object = {}): Error {
  return Object.assign(new Error(message), more);
}

const person = 'jane@example.test';
const failures: [string, Error][] = [
  ['OOM', failing(`OOM command not allowed`, { name: 'ReplyError', command: { args: [person] } })],
  ['ERR', failing(`ERR unknown command, with args beginning with: ${person}`, { name: 'ReplyError' })],
  ['22P02', failing(`invalid input syntax: "${person}"`, { code: '22P02', detail: person, where: person })],
  ['SyntaxError', new SyntaxError(`Unexpected token, "${person}" is not valid JSON`)],
  ['Error', failing(`something about ${person}`)],
];

describe('an error of the queue', () => {
  it.each(failures)('is reported as %s, without any data', (code, error) => {
    expect(codeOf(error)).toBe(code);
    const reported = toQueueError(error);
    expect(`${reported} ${reported.stack} ${JSON.stringify(reported)} ${reported.cause}`).not.toContain(person);
    expect(reported.message).toContain(code);
  });

  it('is always transient, so that the delivery waits in the disk log and the batch is retried', () => {
    expect(isTransient(toQueueError(failing('anything')))).toBe(true);
  });

  it('leaves our own errors unchanged', () => {
    const own = new SlotstreamError('queue_held', 'Held.');
    expect(toQueueError(own)).toBe(own);
    expect(codeOf(own)).toBe('queue_held');
  });
});
