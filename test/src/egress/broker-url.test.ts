// The addresses of message brokers.
import { describe, expect, it } from 'vitest';
import { readBrokers, readKafka, readNats } from '#src/egress/broker-url.ts';

describe('the address of a NATS', () => {
  it('has hosts, a user or a token, and TLS by its scheme', () => {
    expect(readNats('nats://a')).toEqual({ servers: ['a'] });
    const servers = ['a:4222', '[::1]:4223'];
    const read = readNats('tls://u%40x:p:w%2F@a:4222,[::1]:4223');
    expect(read).toEqual({ servers, tls: {}, user: 'u@x', pass: 'p:w/' });
    expect(readNats('NATS://token@a')).toEqual({ servers: ['a'], token: 'token' });
  });

  it('is nothing else', () => {
    const wrong = ['nats://', 'nats://a,', 'nats://a b', 'nats://%@a', 'nats://a/b', 'nats://a?b=1'];
    for (const address of ['', 'a:4222', 'http://a', ...wrong])
      expect([address, readNats(address)]).toEqual([address, undefined]);
  });
});

describe('the address of a Kafka', () => {
  it('has hosts with the usual port, a topic, a login and TLS by its scheme', () => {
    expect(readKafka('kafka://a')).toEqual({ topic: 'slotstream.feed', bootstrapBrokers: ['a:9092'] });
    expect(readKafka('kafkas://u:p@a:1,b/feed?sasl=scram-sha-512')).toEqual({
      topic: 'feed',
      bootstrapBrokers: ['a:1', 'b:9092'],
      tls: {},
      sasl: { mechanism: 'SCRAM-SHA-512', username: 'u', password: 'p' },
    });
    expect(readKafka('kafka://u:p@a')?.sasl?.mechanism).toBe('PLAIN');
  });

  it('is nothing else', () => {
    for (const address of [
      '',
      'nats://a',
      'kafka://a/b/c',
      'kafka://a/b!',
      'kafka://u@a',
      'kafka://a?sasl=GSSAPI',
      'kafka://a?x=1',
    ])
      expect([address, readKafka(address)]).toEqual([address, undefined]);
  });
});

describe('the hosts of an address', () => {
  it('are found without the login', () => {
    expect(readBrokers('redis://:secret@stream.example.com')?.hosts).toEqual(['stream.example.com']);
  });
});
