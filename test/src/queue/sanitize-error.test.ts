import { describe, expect, it } from 'vitest';
import { isTransient, SlotstreamError } from '#src/base/errors.ts';
import { codeOf } from '#src/base/errors.ts';
import { queueFailure } from '#src/queue/sanitize-error.ts';

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

describe('a failure of the queue', () => {
  it.each(failures)('is told as %s and nothing of the data', (code, error) => {
    expect(codeOf(error)).toBe(code);
    const told = queueFailure(error);
    expect(`${told} ${told.stack} ${JSON.stringify(told)} ${told.cause}`).not.toContain(person);
    expect(told.message).toContain(code);
  });

  it('is always transient, so that the delivery goes to the spool and the batch is tried again', () => {
    expect(isTransient(queueFailure(failing('anything')))).toBe(true);
  });

  it('keeps the sentences of the drivers that hold no data', () => {
    expect(queueFailure(failing('connect ECONNREFUSED 127.0.0.1:6379')).message).toContain('127.0.0.1:6379');
  });

  it('leaves an error of our own as it is', () => {
    const own = new SlotstreamError('queue_held', 'Held.');
    expect(queueFailure(own)).toBe(own);
    expect(codeOf(own)).toBe('queue_held');
  });
});
