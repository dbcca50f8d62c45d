// Where the packages of Slack may connect to: what is refused is never called, neither over HTTP nor by the WebSocket for buttons.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { LookupFunction } from 'node:net';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'undici';
import { listenToButtons, type ButtonNeeds } from '#workers/out/slack/buttons.ts';
import { openGuardedFetch, refusalIn } from '#workers/out/slack/guarded-fetch.ts';
import { codeOf } from '#src/base/errors.ts';
import type { OutgoingNeeds } from '#src/egress/http.ts';
import { openTestMailServer } from '../../../harness/alerts/mail-server.ts';
import { openSlackServer } from '../../../harness/alerts/slack-server.ts';

const unencrypted = 'it is an address without encryption (ALERT_ALLOW_PRIVATE)';
const leadsToPrivate = 'it leads to a private or special network address (ALERT_ALLOW_PRIVATE)';

/** How a call and a WebSocket ended: the status, or why there was no connection. The WebSocket itself does not say why. */
async function attemptsAt(
  address: string,
  { allowPrivate = false, ...needs }: OutgoingNeeds & { allowPrivate?: boolean } = {},
): Promise<unknown[]> {
  const guarded = openGuardedFetch({ allowPrivate }, needs);
  const failures: Error[] = [];
  const hear = (message: unknown) => void failures.push((message as { error: Error }).error);
  subscribe('undici:client:connectError', hear);
  const reasonOf = (error = failures.pop()) => error && (refusalIn(error)?.message ?? codeOf(error));
  const called = await guarded.fetch(`http${address}`).then(
    ({ status }) => status,
    (error: unknown) => [reasonOf(), refusalIn(error)?.message ?? codeOf((error as Error).cause)],
  );
  const socket = new WebSocket(`ws${address}`, { dispatcher: guarded.dispatcher });
  const opened = await new Promise((resolve) => {
    socket.addEventListener('open', () => resolve('open'));
    socket.addEventListener('error', () => resolve(reasonOf()));
  });
  unsubscribe('undici:client:connectError', hear);
  guarded.close();
  return [called, opened].flat();
}

const thrice = (reason: unknown) => [reason, reason, reason];

describe('a Slack app', () => {
  it('reaches no private address, however it is written or resolved (N6)', async () => {
    const resolvesTo: LookupFunction = (name, _options, callback) => {
      const second = name === 'both.example.test' ? ['10.0.0.1'] : [];
      const first = name === 'private.example.test' ? '127.0.0.1' : '1.1.1.1';
      callback(
        null,
        [first, ...second].map((one) => ({ address: one, family: 4 })),
      );
    };
    const hosts = [
      '127.0.0.1',
      '[::1]:8443',
      '169.254.169.254',
      '0x7f.1',
      'localhost',
      'private.example.test',
      'both.example.test',
    ];
    for (const host of hosts) {
      const attempts = await attemptsAt(`s://${host}/`, { lookup: resolvesTo });
      expect([host, attempts]).toEqual([host, thrice(leadsToPrivate)]);
    }
  });

  it('reaches no address without encryption, public or not, unless both are allowed (N6)', async () => {
    await using slack = await openSlackServer({});
    const address = `://127.0.0.1:${new URL(slack.app.apiUrl).port}/api/auth.test`;
    for (const one of [address, '://one.example.test/']) expect(await attemptsAt(one)).toEqual(thrice(unencrypted));
    expect([slack.calls, slack.connections()]).toEqual([[], 0]);
    expect(await attemptsAt(address, { allowPrivate: true })).toEqual([200, 'open']);
    expect([slack.calls, slack.connections(), slack.isListened()]).toEqual([['auth.test'], 1, true]);
  });

  it('speaks TLS with the address that was checked, and gives nothing to a server without a valid certificate', async () => {
    await using server = await openTestMailServer({ secure: true });
    const attempts = await attemptsAt(`s://127.0.0.1:${server.port}/`, { allowPrivate: true });
    expect(attempts).toEqual(thrice(expect.stringMatching(/CERT|ALTNAME/)));
  });

  it('asks for no connection for buttons at a refused address, and its error says what allows it (N6)', async () => {
    await using slack = await openSlackServer({});
    const needs = { clock: Date.now } as ButtonNeeds;
    const app = { ...slack.app, allowPrivate: false };
    const listening = listenToButtons(needs, app, new AbortController().signal);
    await expect(listening).rejects.toMatchObject({ hint: expect.stringContaining('ALERT_ALLOW_PRIVATE') });
    expect([slack.calls, slack.connections()]).toEqual([[], 0]);
  });

  it('opens no WebSocket where an answer of Slack names a private address or one without encryption (N6)', async () => {
    await using slack = await openSlackServer({});
    // Only the call is not guarded, so that Slack can name the address.
    const openFetch = () => ({ ...openGuardedFetch({ allowPrivate: false }), fetch: globalThis.fetch });
    const needs = { clock: Date.now, openFetch } as unknown as ButtonNeeds;
    const app = { ...slack.app, allowPrivate: false };
    await expect(listenToButtons(needs, app, new AbortController().signal)).rejects.toThrow('does not open');
    expect([slack.calls, slack.connections()]).toEqual([['apps.connections.open'], 0]);
  });
});
