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

  const said = (message: string) => toQueueError(failing(message, { name: 'ReplyError' }));

  it.each([
    ["NOPERM User jane has no permissions to run the 'info' command", 'run INFO', '+info.'],
    [
      "NOPERM this user has no permissions to run the 'config|get' command or its subcommand",
      'run CONFIG|GET',
      '+config|get.',
    ],
    ['NOPERM No permissions to access a key', 'use the keys of the queue', '~{slotstream}:*'],
    [
      'NOPERM this user has no permissions to access one of the keys used as arguments',
      'use the keys',
      '~{slotstream}:*',
    ],
    [
      "NOPERM ACL failure in script: User jane has no permissions to run the 'xadd' command script: 1f, on @user_script:3.",
      'run XADD',
      '+xadd.',
    ],
  ])('names the command or the keys that the user lacks, and no user: %s (S7)', (message, names, hint) => {
    const reported = said(message);
    expect(reported.message).toContain(names);
    expect(reported.hint).toContain(hint);
    expect(JSON.stringify([reported.message, reported.hint])).not.toContain('jane');
  });

  it('says that the server is a Cluster, and how to write that (S9)', () => {
    expect(said('MOVED 12182 10.0.0.7:6379')).toMatchObject({
      message: expect.stringContaining('a Redis Cluster') as string,
      hint: expect.stringContaining('redis+cluster://') as string,
    });
  });

  it('says how a private CA is trusted (S10)', () => {
    const reported = toQueueError(failing('self-signed certificate', { code: 'SELF_SIGNED_CERT_IN_CHAIN' }));
    expect(reported.hint).toContain('NODE_EXTRA_CA_CERTS=');
  });

  it('leaves our own errors unchanged', () => {
    const own = new SlotstreamError('queue_held', 'Held.');
    expect(toQueueError(own)).toBe(own);
    expect(codeOf(own)).toBe('queue_held');
  });
});
