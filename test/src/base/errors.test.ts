// How errors are classified: retry, and a short text without data.
import { describe, expect, it } from 'vitest';
import {
  codeOf,
  describeConnectFailure,
  describeDriverError,
  isContention,
  isMissingTable,
  isTransient,
  SlotstreamError,
} from '#src/base/errors.ts';

const withCode = (code: string, message = 'quotes ada@example.test') => Object.assign(new Error(message), { code });

describe('an error', () => {
  it.each([
    '57P01',
    '40001',
    '53100',
    '28P01',
    '3D000',
    'EPIPE',
    'ECONNRESET',
    'SQLITE_BUSY',
    'SQLITE_FULL',
    'ECONNREFUSED',
    'ENOSPC',
  ])('with the code %s is transient, also as the cause of another', (code) => {
    expect(isTransient(withCode(code))).toBe(true);
    expect(isTransient(new Error('outer', { cause: withCode(code) }))).toBe(true);
  });

  it.each(['23505', '22P02', 'SQLITE_CONSTRAINT', 'EACCES'])('with the code %s is not transient', (code) => {
    expect(isTransient(withCode(code))).toBe(false);
  });

  it('of our own is transient as its code says, whatever its cause is', () => {
    expect(isTransient(new SlotstreamError('queue_unavailable', 'x'))).toBe(true);
    expect(isTransient(new SlotstreamError('config', 'x', { cause: withCode('40001') }))).toBe(false);
  });

  it('is contention only where two transactions met', () => {
    expect(['SQLITE_BUSY', '40P01', '55P03'].every((code) => isContention(withCode(code)))).toBe(true);
    expect(isContention(withCode('57P01'))).toBe(false);
  });

  it('tells a missing table from other failures', () => {
    expect(isMissingTable(withCode('42P01'))).toBe(true);
    expect(isMissingTable(withCode('SQLITE_ERROR', 'no such table: event_log'))).toBe(true);
    expect(isMissingTable(withCode('42703'))).toBe(false);
  });

  it('of a connection names the address, and nothing else of the message', () => {
    const message = 'connect ECONNREFUSED, secret';
    const refused = Object.assign(new Error(message), { code: 'ECONNREFUSED', address: '::1', port: 9 });
    expect(describeConnectFailure(refused)).toBe('ECONNREFUSED [::1]:9');
    expect(describeConnectFailure(new TypeError('fetch failed', { cause: refused }))).toBe('ECONNREFUSED [::1]:9');
    const both = Object.assign(new AggregateError([refused]), { code: 'ECONNREFUSED' });
    expect(describeConnectFailure(new TypeError('fetch failed', { cause: both }))).toBe('ECONNREFUSED [::1]:9');
    expect(describeConnectFailure(new TypeError('fetch failed', { cause: new Error('bad port') }))).toBe(
      'HTTP clients do not use this port',
    );
    expect(describeConnectFailure(withCode('ENOTFOUND'))).toBe('ENOTFOUND');
  });

  it('is described without the data that a driver quotes', () => {
    expect(describeDriverError(withCode('23505'))).toBe('23505');
    expect(describeDriverError(new Error('connect ECONNREFUSED 127.0.0.1:1.\nada@example.test'))).toBe(
      'connect ECONNREFUSED 127.0.0.1:1',
    );
    for (const message of ['None of startup nodes is available', 'Cluster is disconnecting', 'Node is disconnected'])
      expect(describeDriverError(new Error(`${message}.`))).toBe(message);
    for (const message of ["Stream isn't writeable and enableOfflineQueue options is false", 'Connection is closed.'])
      expect(describeDriverError(new Error(message))).toBe('there is no connection to the server');
    expect(codeOf(withCode('a code with spaces'))).toBe('Error');
    expect(codeOf('a text')).toBe('Error');
  });
});
