// The name of a queue in QUEUE_URL, which no driver sees.
import { describe, expect, it } from 'vitest';
import { readQueueAddress } from '#src/queue/queue-address.ts';
import { openQueue } from '#src/queue/registry.ts';

describe('the name in QUEUE_URL (S1)', () => {
  it.each([
    ['redis://h', 'redis://h', undefined],
    ['redis://u:p?w@h:1/2', 'redis://u:p?w@h:1/2', undefined],
    ['redis://h:1/2?name=acme', 'redis://h:1/2', 'acme'],
    ['redis+sentinel://h,i/m?db=1&name=acme&tls=true', 'redis+sentinel://h,i/m?db=1&tls=true', 'acme'],
    ['postgres://h/db?name=acme&schema=a', 'postgres://h/db?schema=a', 'acme'],
    ['postgres://h/db?application_name=x', 'postgres://h/db?application_name=x', undefined],
  ])('of %s', (given, url, name) => {
    expect(readQueueAddress(given)).toEqual({ url, name });
  });

  it.each(['', 'Acme', 'a-b', 'x'.repeat(41), 'a&name=b'])('is refused where it is "%s"', (name) => {
    expect(() => readQueueAddress(`redis://h?name=${name}`)).toThrow('The name in QUEUE_URL is not one of');
  });

  it('is refused of an embedded queue', async () => {
    const opening = openQueue({ url: 'embedded:/tmp/none?name=a', dataDir: '/tmp', report: () => {} });
    await expect(opening).rejects.toMatchObject({ code: 'config' });
  });
});
