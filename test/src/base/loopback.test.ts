// Which addresses are of this machine: secrets are sent to them without TLS.
import { expect, it } from 'vitest';
import { isLoopback } from '#src/base/loopback.ts';

it.each(['localhost', 'api.localhost', '127.0.0.1', '127.1', '[::1]', '[0:0::1]', 'LOCALHOST:80'])(
  '%s is this machine',
  (host) => expect(isLoopback(new URL(`http://${host}`))).toBe(true),
);

it.each(['localhost.example.test', 'notlocalhost', '127.0.0.1.example.test', '128.0.0.1', '[::2]', '0.0.0.0'])(
  '%s is another machine, or any',
  (host) => expect(isLoopback(new URL(`http://${host}`))).toBe(false),
);

it('a user name that looks like this machine is none', () => {
  expect(isLoopback(new URL('http://127.0.0.1@example.test'))).toBe(false);
});
