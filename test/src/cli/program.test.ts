// The command line: usage and failures are explained, exit codes are kept, and `trigger` sends what a receiver accepts.
import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { readDelivery } from '#schemas/delivery.ts';
import { defineVerb } from '#src/cli/verb.ts';
import { verbs, type VerbEntry } from '#src/cli/verbs.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import { verifySignature } from '#src/signing/signature.ts';
import { openServer } from '../../harness/ports.ts';
import { runVerb } from '../../harness/run-verb.ts';

const key = 'a-test-key-of-more-than-24-bytes';

const run = (
  args: readonly string[],
  { env = {}, extra = [] }: { env?: Record<string, string>; extra?: readonly VerbEntry[] } = {},
) =>
  runVerb(args, { SIGNING_KEYS: key, ...env }, { stopping: new AbortController().signal, verbs: [...verbs, ...extra] });

function failing(error: Error): VerbEntry {
  const verb = defineVerb({ arguments: {}, options: {}, run: () => Promise.reject(error) });
  return { name: 'fail', group: 'Fix', summary: 'fails', load: async () => verb };
}

/** Help is wrapped to the terminal. */
const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ');

async function listen(status: number) {
  const requests: { readonly message: IncomingMessage; readonly body: Buffer }[] = [];
  const server = await openServer(async (message, response) => {
    requests.push({ message, body: await buffer(message) });
    response.writeHead(status).end();
  });
  return { ...server, url: `${server.url}/webhooks`, requests };
}

describe('the command line', () => {
  it('explains every verb with --help', async () => {
    for (const { name, summary, load } of verbs) {
      const { options } = await load();
      const { code, out } = await run([name, '--help']);
      expect(code).toBe(0);
      expect((await run(['help', name])).out).toBe(out);
      for (const text of [summary, ...Object.values(options).map(({ flags }) => flags)])
        expect(oneLine(out)).toContain(text);
    }
  });

  it('lists the verbs in groups, each under its own', async () => {
    const { out } = await run(['--help']);
    const headings = [...out.matchAll(/^(\w.*):$/gm)].map(([, heading]) => heading);
    expect(headings).toEqual(['Options', 'Set up', 'Run', 'Look', 'Fix', 'Try']);
    for (const { name, group } of verbs)
      expect([name, out.split(`\n${group}:\n`)[1]?.split('\n\n')[0]]).toEqual([
        name,
        expect.stringMatching(new RegExp(`^  ${name} `, 'm')),
      ]);
  });

  it.each([
    ['an unknown verb, guessing the right one', ['triger'], 'trigger'],
    ['an unknown option', ['trigger', 'contact.created', '--loud'], '--loud'],
    ['a missing argument', ['trigger'], 'event'],
    ['one argument too many', ['trigger', 'contact.created', 'contact.deleted'], 'too many'],
    ['an unknown kind, guessing the right one', ['trigger', 'invitee.create'], 'Did you mean invitee.created?'],
    ['a number that is none', ['trigger', 'contact.created', '--count', 'x'], '--count'],
    ['an unreadable --set', ['trigger', 'contact.created', '--print', 'curl', '--set', 'x'], 'path=value'],
  ])('refuses %s with exit code 2 and a hint', async (_, args, text) => {
    const { code, out, err } = await run(args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(text);
    expect(err).toContain('→');
  });

  it('prints what happened and what to do, without a stack', async () => {
    const error = new SlotstreamError('store_unavailable', 'The store is busy.', { hint: 'Try again.' });
    expect(await run(['fail'], { extra: [failing(error)] })).toEqual({
      code: 1,
      out: '',
      err: '✗ The store is busy.\n→ Try again.\n',
    });
  });

  it('prints the stack of an unexpected error only when LOG_LEVEL is debug, and never a quoted value', async () => {
    const extra = [failing(new TypeError('bad value "canary-19"'))];
    const quiet = await run(['fail'], { extra });
    const loud = await run(['fail'], { extra, env: { LOG_LEVEL: 'debug' } });
    expect(quiet.err).not.toContain('    at ');
    expect(loud.err).toContain('    at ');
    expect(quiet.err + loud.err).not.toContain('canary-19');
  });
});

describe('trigger', () => {
  it('sends the requested number of deliveries, which verify and parse, and prints one JSON line each', async () => {
    await using receiver = await listen(202);
    const { code, out } = await run(['trigger', 'invitee.created', '--count', '3', '--url', receiver.url, '--json']);
    expect(code).toBe(0);
    expect(
      out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).status),
    ).toEqual([202, 202, 202]);
    const ids = receiver.requests.map(({ message, body }) => {
      const headers = (name: string) => message.headersDistinct[name] ?? [];
      const asked = { scheme: 'timestamped', headerName: 'Calendly-Webhook-Signature', toleranceSeconds: 180 } as const;
      expect(verifySignature({ ...asked, headers, body, keys: [key], nowSeconds: Date.now() / 1000 }).ok).toBe(true);
      expect(readDelivery(body.toString()).state).toBe('known');
      return readDelivery(body.toString()).deliveryId;
    });
    expect(new Set(ids).size).toBe(3);
  });

  it('changes what --set names, and signs the changed body', async () => {
    await using receiver = await listen(202);
    const set = ['--set', 'name=Ada', '--set', 'emails.0.is_primary=false', '--set', 'envelope.event=contact.merged'];
    await run(['trigger', 'contact.created', '--url', receiver.url, ...set]);
    const sent = JSON.parse(String(receiver.requests[0]?.body));
    expect(sent).toMatchObject({ event: 'contact.merged', payload: { name: 'Ada', emails: [{ is_primary: false }] } });
  });

  it('fails with exit code 1 when the receiver rejects the delivery', async () => {
    await using receiver = await listen(401);
    expect(await run(['trigger', 'contact.created', '--url', receiver.url])).toMatchObject({
      code: 1,
      out: '401 contact.created\n',
    });
  });
});
