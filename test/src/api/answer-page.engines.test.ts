// The page of a signed link, on both stores: it shows one meeting, only its forms answer, and every other link gets the same refusal.
import { describe, expect, it } from 'vitest';
import { createAnswerPage } from '#src/api/answer-page.ts';
import { dayMs, instantOf } from '#src/base/time.ts';
import { openTail } from '#src/feed/tail.ts';
import { answerKey, answerLinkMs, makeAnswerToken } from '#src/read/bookings/answer-link.ts';
import { cancelInvitee } from '#src/sandbox/world/bookings/bookings.ts';
import { lastSeq } from '#src/store/log/read.ts';
import { eraseFrom } from '../../harness/erasures.ts';
import { openAnswerWorld } from '../../harness/mirror/answer-world.ts';
import { rowsOf, oneEngine, type TestStore } from '../../harness/stores.ts';
import { openedOnce } from '../../harness/opened.ts';

/** What every answer has, whatever its status. */
const ownOnly = ['nosniff', 'same-origin'];

async function openWorld(fresh: () => Promise<TestStore>) {
  await using stack = new AsyncDisposableStack();
  const world = stack.use(await openAnswerWorld(fresh));
  const { store, service, uris } = world;
  const tail = openTail({ lastSeq: () => lastSeq(store) });
  stack.defer(() => tail.close());
  const key = await answerKey(store, () => 'a key of the mirror');
  const clock = { nowMs: Date.now() };
  const reported: unknown[] = [];
  /** What was sent to the service. */
  const sent: string[] = [];
  const page = createAnswerPage({
    store,
    tail,
    key,
    clock: () => clock.nowMs,
    async answers(answer) {
      sent.push(answer.answer);
      await world.options.answers?.(answer);
    },
    report: (error) => void reported.push(error),
  });
  const hostsOf = (invitee: string) =>
    service.state.scheduledEvents
      .get(service.state.invitees.get(invitee)?.event ?? '')
      ?.event_memberships.map(({ user }) => user) ?? [];
  const [host = ''] = hostsOf(uris.held);
  const tokenFor = (invitee: string, of = host, expiresMs = clock.nowMs + answerLinkMs) =>
    makeAnswerToken(key, { invitee, host: of, expiresMs });
  async function ask(token: string, init: RequestInit = {}, query = '') {
    const request = new Request(`https://hooks.example.test/answers/${token}${query}`, init);
    const answer = await page(request, '2001:db8::7');
    // (N13)
    const { headers } = answer;
    expect([headers.get('x-content-type-options'), headers.get('cross-origin-resource-policy')]).toEqual(ownOnly);
    return { status: answer.status, html: await answer.text(), headers: answer.headers };
  }
  const kept = stack.move();
  return {
    ...world,
    key,
    clock,
    reported,
    sent,
    host,
    hostsOf,
    tokenFor,
    ask,
    post: (token: string, answer: string) => ask(token, { method: 'POST' }, `?answer=${answer}`),
    /** Whatever an answer changes: the mark at the service, and the log. */
    state: async () => [
      world.markOf(uris.held),
      (await rowsOf(store, 'event_log')).length,
      (await rowsOf(store, 'admin_actions')).length,
    ],
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

for (const engine of oneEngine)
  describe.runIf(engine.available)(`a signed link on ${engine.name}`, { shuffle: false }, () => {
    const world = openedOnce(() => openWorld(engine.fresh));

    it('shows the meeting and two buttons, and answers by its forms as often as they are sent, and records from which address (N10)', async () => {
      const { uris, service } = world;
      const token = world.tokenFor(uris.held);
      const invitee = service.state.invitees.get(uris.held);
      const { status, html, headers } = await world.ask(token);
      expect(status).toBe(200);
      expect([headers.get('cache-control'), headers.get('referrer-policy')]).toEqual(['no-store', 'no-referrer']);
      expect([...html.matchAll(/<button>([^<]+)</g)].map(([, text]) => text)).toEqual(['They came', 'No-show']);
      expect(html).toContain(String(invitee?.name.split(' ')[0]));
      expect(html).toContain(service.state.scheduledEvents.get(invitee?.event ?? '')?.name);
      for (const hidden of [invitee?.email, invitee?.name.split(' ')[1], invitee?.uri, world.host])
        expect(html + token + Buffer.from(token, 'base64url').toString()).not.toContain(hidden);
      for (let times = 0; times < 3; times += 1) {
        const answered = await world.post(token, 'no_show');
        expect([answered.status, answered.headers.get('location')]).toEqual([303, `/answers/${token}`]);
      }
      expect(world.markOf(uris.held)).not.toBeNull();
      expect((await world.ask(token)).html).toContain('Answered: a no-show.');
      await world.post(token, 'came');
      expect(world.markOf(uris.held)).toBeNull();
      expect((await world.ask(token)).html).toContain('they came');
      const entries = (await rowsOf(world.store, 'event_log')).filter(({ source }) => source === 'operator');
      expect(entries.map(({ body }) => JSON.parse(String(body)).payload)).toEqual([{ uri: uris.held, by: 'host' }]);
      expect((await world.post(token, 'maybe')).status).toBe(400);
      const actions = await rowsOf(world.store, 'admin_actions');
      const recorded = { caller: 'answer link', address: '2001:db8::7', operation: 'answerBooking', status: 200 };
      const inputs = ['no_show', 'came'].map((answer) => ({ answer, invitee: uris.held }));
      expect(actions).toMatchObject(inputs.map((input) => ({ ...recorded, input })));
      for (const hidden of [invitee?.email, invitee?.name, token])
        expect(JSON.stringify(actions)).not.toContain(hidden);
      expect(world.reported).toEqual([]);
    });

    it('answers ten times a minute, and neither records nor sends an answer that stands (N3)', async () => {
      world.clock.nowMs += 60_000;
      const token = world.tokenFor(world.uris.held);
      await world.post(token, 'none');
      const [before, sent] = [await world.state(), world.sent.length];
      const statusesOf = async (times: number, answerOf: (n: number) => string) => {
        const statuses: number[] = [];
        for (let n = 0; n < times; n += 1) statuses.push((await world.post(token, answerOf(n))).status);
        return statuses;
      };
      const repeated = await statusesOf(54, () => 'none');
      expect([repeated.slice(0, 9), new Set(repeated.slice(9))]).toEqual([Array(9).fill(303), new Set([429])]);
      expect([await world.state(), world.sent.length]).toEqual([before, sent]);
      world.clock.nowMs += 60_000;
      const changed = await statusesOf(12, (n) => (n % 2 === 0 ? 'came' : 'none'));
      expect(changed).toEqual([...Array(10).fill(303), 429, 429]);
      expect((await rowsOf(world.store, 'admin_actions')).length).toBe(Number(before[2]) + 10);
      // The page is still shown, and other links answer.
      expect((await world.ask(token)).status).toBe(200);
      expect(
        (await world.post(world.tokenFor(world.uris.held, world.host, world.clock.nowMs + dayMs), 'none')).status,
      ).toBe(303);
    });

    it('changes nothing when scanners, previews and browsers only read it', async () => {
      // Another minute, so that what other tests asked does not count.
      world.clock.nowMs += 60_000;
      const token = world.tokenFor(world.uris.held);
      const before = await world.state();
      for (const [method, headers] of [
        ['GET', {}],
        ['HEAD', {}],
        ['GET', { purpose: 'prefetch', 'sec-purpose': 'prefetch;prerender' }],
        ['OPTIONS', {}],
        ['PUT', {}],
      ] as const)
        await world.ask(token, { method, headers }, '?answer=no_show');
      const statuses: number[] = [];
      for (let times = 0; times < 100; times += 1) statuses.push((await world.ask(token, {}, '?answer=came')).status);
      expect([statuses.filter((status) => status === 200).length, statuses.at(-1)]).toEqual([57, 429]);
      expect(await world.state()).toEqual(before);
      world.clock.nowMs += 60_000;
      expect((await world.ask(token)).status).toBe(200);
    });

    it('is refused in the same words when it is forged, too old, of another host or booking, or over', async () => {
      const { uris, store, service, clock } = world;
      const valid = world.tokenFor(uris.held);
      const [claim = '', mac = ''] = valid.split('.');
      const other = Object.values(world.sandbox.handles.users).find((user) => !world.hostsOf(uris.held).includes(user));
      const [canceled = '', erased = ''] = world.ended.slice(1);
      const claimed = { invitee: uris.held, host: world.host, expiresMs: clock.nowMs + dayMs };
      const bad: Readonly<Record<string, string>> = {
        empty: 'x',
        'without a signature': claim,
        'with another signature': `${claim}.${mac.split('').toReversed().join('')}`,
        'of another key': makeAnswerToken('another key', claimed),
        'with another claim': `${Buffer.from(`${canceled}/x/9999999999`).toString('base64url')}.${mac}`,
        'with more after it': `${valid}.x`,
        'in another form': `${valid}=`,
        expired: world.tokenFor(uris.held, world.host, clock.nowMs - 1_000),
        'of another host': world.tokenFor(uris.held, other),
        'of an unknown booking': world.tokenFor(uris.unknown),
        'of a meeting to come': world.tokenFor(uris.upcoming, world.hostsOf(uris.upcoming)[0]),
        'of a canceled booking': world.tokenFor(canceled, world.hostsOf(canceled)[0]),
        'of an erased person': world.tokenFor(erased, world.hostsOf(erased)[0]),
        'very long': valid.repeat(100),
      };
      const doomed = service.state.invitees.get(canceled);
      if (doomed) cancelInvitee(service, doomed, { cancelerType: 'invitee', reason: null });
      await world.run({ repair: true });
      await eraseFrom(store, erased, { now: instantOf(Date.now()) });
      const before = await world.state();
      const answers = new Set<string>();
      for (const [name, token] of Object.entries(bad))
        for (const answer of [
          await world.ask(encodeURIComponent(token)),
          await world.post(encodeURIComponent(token), 'no_show'),
        ]) {
          expect([name, answer.status]).toEqual([name, 404]);
          answers.add(answer.html);
        }
      expect(answers.size).toBe(1);
      expect([await world.state(), world.markOf(erased), world.markOf(canceled)]).toEqual([before, null, null]);
      clock.nowMs += answerLinkMs + 1_000;
      expect((await world.ask(valid)).status).toBe(404);
    });
  });
