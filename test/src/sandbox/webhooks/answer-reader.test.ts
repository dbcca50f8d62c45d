// Reading the answers to deliveries off a connection.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createAnswerReader } from '#src/sandbox/webhooks/answer-reader.ts';

const lines = (...all: readonly string[]): string => all.join('\r\n');

/** How the reading ends when these bytes arrive in these pieces. */
function readIn(pieces: readonly Buffer[]): { status: number | null; reading: string } {
  const reader = createAnswerReader();
  let reading = 'more';
  for (const piece of pieces) {
    if (reading !== 'more') break;
    reading = reader.read(piece);
  }
  return { status: reader.status, reading };
}
const read = (text: string) => readIn([Buffer.from(text)]);

describe('an answer', () => {
  it('with a length leaves its connection free once its body is there', () => {
    expect(read(lines('HTTP/1.1 202 Accepted', 'Content-Length: 2', '', 'ok'))).toEqual({
      status: 202,
      reading: 'free',
    });
    expect(read(lines('HTTP/1.1 202 Accepted', 'Content-Length: 2', '', 'o')).reading).toBe('more');
    expect(read(lines('HTTP/1.1 500 Oh', 'content-length:0', '', ''))).toEqual({ status: 500, reading: 'free' });
  });

  it.each([
    ['204 and 304 have no body', lines('HTTP/1.1 204 No Content', '', ''), 204, 'free'],
    [
      'an empty body in chunks is read',
      lines('HTTP/1.1 202 OK', 'transfer-encoding: chunked', '', '0', '', ''),
      202,
      'free',
    ],
    ['an interim answer is passed over', lines('HTTP/1.1 100 Continue', '', 'HTTP/1.1 204 Done', '', ''), 204, 'free'],
    [
      'a body in chunks is not waited for',
      lines('HTTP/1.1 200 OK', 'transfer-encoding: chunked', '', '2', 'ok'),
      200,
      'spent',
    ],
    ['nor one that ends with the connection', lines('HTTP/1.1 200 OK', '', 'and so on'), 200, 'spent'],
    ['nor a very long one', lines('HTTP/1.1 200 OK', 'content-length: 9999999', '', ''), 200, 'spent'],
    [
      'a connection that will be closed is of no more use',
      lines('HTTP/1.1 200 OK', 'connection: close', '', ''),
      200,
      'spent',
    ],
    ['nor is one of an old server', lines('HTTP/1.0 200 OK', 'content-length: 0', '', ''), 200, 'spent'],
    [
      'more than was announced is a fault of the other side',
      lines('HTTP/1.1 200 OK', 'content-length: 1', '', 'ok'),
      200,
      'spent',
    ],
    ['what is not HTTP has no status', lines('SSH-2.0-OpenSSH', '', ''), null, 'broken'],
    ['an upgrade was not asked for', lines('HTTP/1.1 101 Switching Protocols', '', ''), null, 'broken'],
    ['a head without an end is not read for ever', 'x'.repeat(70_000), null, 'broken'],
  ])('%s', (_, text, status, reading) => {
    expect(read(text)).toEqual({ status, reading });
  });

  it('is the same in whatever pieces it arrives', () => {
    const status = fc.constantFrom(200, 202, 301, 404, 500);
    const whole = fc
      .tuple(status, fc.string({ unit: 'binary', maxLength: 40 }), fc.boolean())
      .map(([code, body, interim]) =>
        Buffer.from(
          (interim ? lines('HTTP/1.1 103 Early Hints', 'link: x', '', '') : '') +
            lines(`HTTP/1.1 ${code} Said`, 'date: now', `content-length: ${Buffer.byteLength(body)}`, '', body),
        ),
      );
    fc.assert(
      fc.property(whole, fc.array(fc.nat(200), { maxLength: 6 }), (bytes, cuts) => {
        const ends = [...new Set(cuts.filter((cut) => cut > 0 && cut < bytes.length))].toSorted((a, b) => a - b);
        const pieces = [0, ...ends].map((start, index) => bytes.subarray(start, ends[index] ?? bytes.length));
        expect(readIn(pieces)).toEqual(readIn([bytes]));
        expect(readIn(pieces).reading).toBe('free');
      }),
    );
  });
});
