// The log of delivery attempts.
import { describe, expect, it } from 'vitest';
import { createAttemptLog } from '#src/sandbox/webhooks/attempt-log.ts';

describe('the delivery log', () => {
  const attempt = (number: number, size = 1) => ({
    subscription: 'a',
    event: 'contact.created',
    attempt: number,
    at: '',
    url: '',
    status: 202,
    headers: {},
    body: Buffer.alloc(size, 'x'),
  });

  it('stores the newest attempts and counts all', () => {
    const log = createAttemptLog({ attempts: 10, bytes: 1000 });
    for (let number = 1; number <= 57; number += 1) log.add(attempt(number));
    expect(log.newest.map((one) => one.attempt)).toEqual([48, 49, 50, 51, 52, 53, 54, 55, 56, 57]);
    expect(log.total).toBe(57);
    expect(log.newest[0]?.body).toBe('x');
  });

  it('stores fewer when their bodies are large, but always the last', () => {
    const log = createAttemptLog({ attempts: 10, bytes: 1000 });
    for (let number = 1; number <= 5; number += 1) log.add(attempt(number, 400));
    expect(log.newest.map((one) => one.attempt)).toEqual([4, 5]);
    log.add(attempt(6, 5000));
    expect(log.newest.map((one) => one.attempt)).toEqual([6]);
    log.add(attempt(7));
    expect(log.newest.map((one) => one.attempt)).toEqual([7]);
  });
});
