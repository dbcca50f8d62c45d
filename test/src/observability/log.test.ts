// What may and may not reach a log line.
import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { SlotstreamError } from '#src/base/errors.ts';
import { createLog, throttled } from '#src/observability/log.ts';

const canary = 'canary-7c41';

function listen(options: { level?: string; pretty?: boolean } = {}) {
  const chunks: string[] = [];
  const destination = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(String(chunk));
      done();
    },
  });
  const log = createLog({ level: options.level ?? 'info', pretty: options.pretty ?? false, destination });
  const text = () => chunks.join('');
  const lines = () => text().trimEnd().split('\n');
  return { log, text, lines, records: () => lines().map((line) => JSON.parse(line) as Record<string, unknown>) };
}

describe('log', () => {
  it.each([
    ['keys', ['authorization', 'Calendly-Webhook-Signature', 'api_token', 'adminToken', 'signing_key', 'signingKeys']],
    ['other secrets', ['keys', 'client_secret', 'password', 'set-cookie']],
    ['people', ['email', 'primary_email', 'emails', 'phone_number', 'name', 'first_name', 'userName']],
    ['content', ['body', 'payload', 'answer', 'parameters']],
  ])('blanks the values of %s, at any depth and in child loggers', (_, keys) => {
    const { log, lines } = listen();
    for (const key of keys) {
      log.info({ [key]: canary, inner: { list: [{ [key]: canary }] } }, key);
      log.child({ [key]: canary }).info(key);
    }
    expect(lines().filter((line) => line.includes(canary))).toEqual([]);
    expect(lines()).toHaveLength(2 * keys.length);
  });

  it('blanks addresses and credentials inside text', () => {
    const { log, text } = listen();
    log.info({ url: `redis://:${canary}@host:6379/0`, header: `Bearer ${canary}` }, `asked by ada@example.test`);
    expect(text()).not.toMatch(/canary|ada@/);
  });

  it.each([false, true])('keeps hostile text on one line and harmless (pretty: %s)', (pretty) => {
    const { log, text } = listen({ pretty });
    log.info({ path: '/x\r\n\u001b[2Jforged' }, 'one\r\ntwo\u001b[2J\u202e');
    expect(text()).not.toContain('\u001b[2J');
    expect(text()).not.toContain('\u202e');
    expect(text()).not.toContain('one\r');
  });

  it('writes one line for a terminal: the time, the level unless it is info, the message and the fields, or the summary', () => {
    const { log, lines } = listen({ pretty: true });
    log.info({ port: 8082 }, 'the usual port is in use');
    log.warn({ err: new TypeError('no disk') }, 'odd');
    log.info({ deliveries: 1, summary: '1 delivery applied' }, 'batch');
    expect(lines().map((line) => line.replace(/^\d\d:\d\d:\d\d /, ''))).toEqual([
      'the usual port is in use port=8082',
      expect.stringMatching(/warn.* odd err=\{"type":"TypeError","message":"no disk",/),
      '1 delivery applied',
    ]);
  });

  it('cuts long text', () => {
    const { log, text } = listen();
    log.info({ path: 'x'.repeat(1_000_000) }, 'y'.repeat(1_000_000));
    expect(text().length).toBeLessThan(2_000);
  });

  it('keeps type, code and table of an engine error, none of its values, and the hint of an error of ours', () => {
    const { log, text, records } = listen();
    const error = Object.assign(new Error(`invalid input syntax for type json: "${canary}"`), {
      code: '22P02',
      table: 'contacts',
      detail: `Key (email)=(${canary}) exists`,
      where: canary,
      parameters: [canary],
    });
    log.error(error);
    log.error({ err: new Error('outer', { cause: error }) }, 'failed');
    log.error({ err: new SlotstreamError('queue_unavailable', 'Redis does not answer.', { hint: 'Start it.' }) });
    expect(text()).not.toContain(canary);
    expect(records()[0]).toMatchObject({ err: { code: '22P02', table: 'contacts' } });
    expect(records()[1]).toMatchObject({ msg: 'failed', err: { message: 'outer', cause: { code: '22P02' } } });
    expect(records()[2]).toMatchObject({ err: { code: 'queue_unavailable', hint: 'Start it.' } });
  });

  it('never repeats a body that could not be parsed', () => {
    const { log, text } = listen();
    try {
      JSON.parse(`{"a": ${canary}`);
    } catch (error) {
      log.error({ err: error }, 'unreadable');
    }
    expect(text()).toContain('SyntaxError');
    expect(text()).not.toContain(canary);
  });

  it('says a repeated thing once an interval and then how many were held back', () => {
    const { log, records } = listen();
    let now = 0;
    const say = throttled(log, 1000, () => now);
    for (let i = 0; i < 100; i += 1) say('warn', 'redis is out of memory');
    say('warn', 'another matter');
    now = 1000;
    say('warn', 'redis is out of memory', { depth: 4 });
    // Of one key, all are the same.
    for (const message of ['refused', 'no answer', 'no connection']) say('warn', message, {}, 'outage');
    expect(records()).toHaveLength(4);
    expect(records().slice(2)).toMatchObject([{ depth: 4, alsoHappened: 99 }, { msg: 'refused' }]);
  });
});
