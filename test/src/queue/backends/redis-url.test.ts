import { describe, expect, it } from 'vitest';
import { readRedisUrl } from '#src/queue/backends/redis-url.ts';

describe('QUEUE_URL for Redis', () => {
  it('passes the address of one server to ioredis', () => {
    expect(readRedisUrl('rediss://user:pass@host:6380/2')).toEqual({
      kind: 'single',
      url: 'rediss://user:pass@host:6380/2',
    });
  });

  it('reads several Sentinels, their master and their secrets', () => {
    expect(
      readRedisUrl('redis+sentinel://app:p%40ss:x@a:1,b,[::1]:3/mymaster?db=2&tls=true&sentinelPassword=s'),
    ).toEqual({
      kind: 'sentinel',
      hosts: [
        { host: 'a', port: 1 },
        { host: 'b', port: 26379 },
        { host: '::1', port: 3 },
      ],
      master: 'mymaster',
      db: 2,
      sentinelPassword: 's',
      credentials: { username: 'app', password: 'p@ss:x', tls: {} },
    });
  });

  it('reads the nodes of a Cluster', () => {
    expect(readRedisUrl('redis+cluster://:secret@h1:7000,h2')).toEqual({
      kind: 'cluster',
      hosts: [
        { host: 'h1', port: 7000 },
        { host: 'h2', port: 6379 },
      ],
      credentials: { password: 'secret' },
    });
  });

  it.each(['redis+cluster://:s3cret@h1,h2/1', 'redis+cluster://h1?db=2'])(
    'rejects a numbered database of a Cluster, which has none: %s (S1)',
    (url) => {
      expect(() => readRedisUrl(url)).toThrow('A Redis Cluster has no numbered databases');
    },
  );

  it.each([
    'redis+sentinel://:s3cret@host',
    'redis+cluster://:s3cret@host:port',
    'redis+cluster://:s3cret%zz@host',
    'redis+other://:s3cret@host',
    'redis://:s3cret@host:99999999',
  ])('rejects %s without repeating its password', (url) => {
    const rejection = (() => {
      try {
        return readRedisUrl(url);
      } catch (error) {
        return error;
      }
    })();
    expect(rejection).toMatchObject({ code: 'config', message: expect.not.stringContaining('s3cret') });
  });
});
