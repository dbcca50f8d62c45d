// What every channel promises: it sends a message as its golden file shows, reports the answer without its words, and reaches nothing private by
// itself. Against a real web server and a real mail server.
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { createLog } from '#src/observability/log.ts';
import { loadConfig } from '#src/config/load.ts';
import { createOutgoing } from '#src/egress/http.ts';
import { configuredChannels, openChannels } from '#workers/out/alerts/channels/channels.ts';
import { endedCounts } from '#src/read/ended-counts.ts';
import { openEmail } from '#workers/out/alerts/channels/email.ts';
import { openNtfy } from '#workers/out/alerts/channels/ntfy.ts';
import { testMessage } from '#workers/out/alerts/message/message.ts';
import { eventually } from '../../../../harness/moments.ts';
import {
  buildAskingReport,
  buildNoShow,
  noShowMessage,
  openChannelWorld,
  webhookSecret,
} from '../../../../harness/alerts/channel-sends.ts';
import { openTestMailServer } from '../../../../harness/alerts/mail-server.ts';
import { bookingContext, inviteeUri } from '../../../../harness/data/booking-context.ts';
import { openedOnce } from '../../../../harness/opened.ts';
import { expectGolden, yamlOf } from '../../../../harness/golden.ts';

const httpChannels = ['slack', 'teams', 'discord', 'pagerduty', 'ntfy', 'webhook'] as const;
const channels = [...httpChannels, 'email'] as const;
const never = () => new AbortController().signal;
const world = openedOnce(openChannelWorld);
type World = typeof world;

const evilName = bookingContext({ invitee: { name: 'https://evil.example.test [x](https://evil.test) <@1> @here' } });
const fact = { kind: 'no_show', noShowUri: 'https://api.example.test/invitee_no_shows/N1' } as const;
const counts = (key: string, name: string | null, ...numbers: [number, number, number]) => ({
  key,
  name,
  ...endedCounts(...numbers),
});
const summary = {
  week: '2026-11-09',
  counts: {
    all: endedCounts(1_047, 4, 12),
    hosts: [
      counts('https://api.example.test/users/U1', 'Grace <Hopper> @here', 1_031, 3, 8),
      ...Array.from({ length: 11 }, (_, n) => counts(`https://api.example.test/users/${n}`, `Host ${n}`, 1, 0, 0)),
    ],
    sources: [counts('news[letter](https://evil.test)', '', 1_023, 3, 2), counts('', null, 24, 1, 10)],
  },
};
const messages = {
  alert: noShowMessage,
  retraction: await buildNoShow({ id: 'a1b2c3-retraction', kind: 'retraction', follows: 'a1b2c3' }),
  test: testMessage({ adminUrl: undefined }, { id: 't1', now: '2026-11-16T15:10:00.000000Z' }),
  'with-a-name-that-looks-like-a-link': await buildNoShow({ about: { context: evilName, fact } }),
  asking: await buildAskingReport(['Ada <Lovelace>', '*Bob* @here']),
  summary: await buildNoShow({
    id: 'w1',
    rule: { name: 'week', title: 'Weekly summary', about: 'How many meetings were held.', page: '/numbers' },
    about: { summary },
  }),
  'for-hosts': {
    ...noShowMessage,
    hosts: [
      { email: 'grace@example.test', slackUser: 'U012AB3CD' },
      { email: 'alan@example.test', slackUser: undefined },
    ],
  },
};

/** What arrived since it was last asked: the body, or the mail without what differs from send to send. */
function received({ web, mail }: World): string {
  const [sent] = web.received.splice(0);
  if (sent !== undefined) return yamlOf(sent.body);
  const [letter] = mail.mails.splice(0);
  const headers = letter?.headers.filter(({ name }) => !/^(Date|Content-Type|MIME-Version)$/.test(name)) ?? [];
  const lines = [`to ${letter?.to.join(', ')}`, ...headers.map(({ name, value }) => `${name}: ${value}`)];
  return [...lines, '', letter?.text, letter?.html].join('\n').replaceAll('\r\n', '\n');
}

describe('every channel', () => {
  const cases = channels.flatMap((channel) =>
    Object.entries(messages)
      .filter(([kind]) => kind !== 'for-hosts' || channel === 'slack' || channel === 'email')
      .map(([kind, message]) => [`${channel}-${kind}`, channel, message] as const),
  );

  it.each(cases)('sends golden/%s.txt', async (name, channel, message) => {
    expect(await world.send(channel, message)).toEqual({ ok: true, answer: channel === 'email' ? '250' : '202' });
    await expectGolden(received(world), `golden/${name}.txt`);
  });

  it('names its target without a path, a key or a password', async () => {
    await using other = await openChannelWorld({
      settings: { smtpUrl: 'smtps://ada%40example.test:canary@mail.example.test' },
    });
    for (const { target } of other.channels.values()) expect(target).not.toMatch(/canary|\/|@/);
    expect(other.channels.get('email')?.target).toBe('mail.example.test');
  });

  it('sends nothing to private addresses by default, and warns about addresses without encryption', async () => {
    await using guarded = await openChannelWorld({ allowPrivate: false });
    for (const name of channels)
      expect(await guarded.send(name, noShowMessage)).toEqual({
        ok: false,
        answer: 'it leads to a private or special network address (ALERT_ALLOW_PRIVATE)',
        retry: false,
      });
    expect([guarded.web.received, guarded.mail.mails]).toEqual([[], []]);
    const warned = guarded.lines.map((line) => (JSON.parse(line) as { variable: string }).variable);
    expect(warned).toEqual(httpChannels.map((name) => `ALERT_${name.toUpperCase()}_URL`));
  });

  it('stops when the signal aborts', async () => {
    await using silent = await openChannelWorld();
    const { web, mail } = silent;
    Object.assign(web, { answer: null });
    Object.assign(mail, { answer: null });
    for (const [sends, name] of channels.entries()) {
      const stopping = new AbortController();
      const sending = silent.send(name, noShowMessage, stopping.signal);
      await eventually(() => web.received.length + mail.mails.length).toBe(sends + 1);
      stopping.abort();
      expect(await sending).toEqual({ ok: false, answer: 'stopped', retry: true, outcomeUnknown: true });
    }
  });

  it('is open when it is configured; the log is always open and is the default when nothing else is configured', async () => {
    const { alerts: none } = loadConfig({ DATA_DIR: '.' });
    const log = createLog({ level: 'silent', pretty: false });
    expect([...(await openChannels(none, { log, clock: Date.now })).keys()]).toEqual(['log']);
    expect(configuredChannels(none)).toEqual(['log']);
    expect(configuredChannels({ ...none, slackUrl: 'https://hooks.example.test' })).toEqual(['slack']);
  });
});

describe('an HTTP answer', () => {
  async function answered(name: string, status: number, words: World['web']['words'] = {}) {
    Object.assign(world.web, { answer: status, words });
    const answer = await world.send(name, noShowMessage);
    Object.assign(world.web, { answer: 202, words: {} });
    world.web.received.splice(0);
    return answer;
  }
  /** It may repeat what we sent. */
  const body = 'Ada Lovelace ada@example.test canary';

  it('is reported as golden/answers.txt shows, without its words, and redirects are not followed', async () => {
    const withWords = { headers: { location: 'http://127.0.0.1:1/' }, body };
    const statuses = [
      200, 201, 202, 301, 302, 307, 308, 400, 401, 403, 404, 408, 410, 413, 425, 429, 500, 502, 503, 504,
    ];
    const delays = ['7', '0', '1000000000', 'soon', '-5'];
    const cases: readonly (readonly [channel: string, status: number, words?: World['web']['words']])[] = [
      ...statuses.map((status) => ['discord', status, withWords] as const),
      ['discord', 204],
      ...delays.map((delay) => ['discord', 429, { headers: { 'retry-after': delay } }] as const),
      ['discord', 503, { headers: { 'retry-after': '7' } }],
      ['slack', 404, { body: 'no_service' }],
      ['webhook', 404],
    ];
    const lines = [];
    for (const [channel, status, words = {}] of cases) {
      const after = words.headers?.['retry-after'];
      const asked = `${channel} ${status}${after === undefined ? '' : `, retry-after ${after}`}`;
      lines.push(`${asked}: ${JSON.stringify(await answered(channel, status, words))}`);
    }
    await expectGolden(lines.join('\n'), 'golden/answers.txt');
  });
});

describe('webhook', () => {
  it.each([
    ['whsec_ and base64', undefined, undefined],
    ['any text', 'a text of more than sixteen', { format: 'raw' } as const],
  ])(
    'is signed as Standard Webhooks, with a secret that is %s, with one id for all attempts',
    async (_, secret, how) => {
      await using own = await openChannelWorld(secret === undefined ? {} : { settings: { webhookSecret: secret } });
      const verifier = new Webhook(secret ?? webhookSecret, how);
      for (const status of [500, 200]) {
        own.web.answer = status;
        await own.send('webhook', noShowMessage);
      }
      const signed = own.web.received.map(({ raw, headers }) =>
        verifier.verify(raw.toString(), headers as Record<string, string>),
      );
      expect(signed).toMatchObject([{ id: 'a1b2c3' }, { id: 'a1b2c3' }]);
      expect(own.web.received.map(({ headers }) => headers['webhook-id'])).toEqual(['a1b2c3', 'a1b2c3']);
    },
  );
});

describe('ntfy', () => {
  it('sends JSON to the address above the topic, with its token', async () => {
    await world.send('ntfy', noShowMessage);
    expect(world.web.received.splice(0)[0]?.headers['authorization']).toBe('Bearer tk_canary');
    await using open = await openChannelWorld({ settings: { ntfyToken: undefined } });
    await open.send('ntfy', noShowMessage);
    expect(open.web.received[0]?.headers).not.toHaveProperty('authorization');
    const called: string[] = [];
    const outgoing = {
      post: async (url: string) => {
        called.push(url);
        return { ok: true as const, status: 200, headers: new Headers(), text: '' };
      },
      connect: () => Promise.reject(new Error('not over HTTP')),
      close: () => undefined,
    };
    for (const url of ['https://ntfy.sh/topic', 'https://ntfy.sh/topic/', 'https://example.test/push/topic'])
      await openNtfy({ outgoing, clock: Date.now }, { url, token: undefined }).send(noShowMessage, never());
    expect(called).toEqual(['https://ntfy.sh/', 'https://ntfy.sh/', 'https://example.test/push/']);
  });
});

describe('email', () => {
  it('reaches the configured recipients where a rule with to_host finds no address', async () => {
    await world.send('email', { ...noShowMessage, hosts: [] });
    expect(world.mail.mails.splice(0).map(({ to }) => to)).toEqual([['ops@example.test', 'desk@example.test']]);
  });

  it.each([
    ['450 4.2.1 <ops@example.test> is busy', { ok: false, answer: '450 4.2.1', retry: true }],
    ['550 5.7.1 <ops@example.test> refused: Ada Lovelace', { ok: false, answer: '550 5.7.1', retry: false }],
    ['554 no', { ok: false, answer: '554', retry: false }],
  ])('%s is shown by its codes', async (words, expected) => {
    Object.assign(world.mail, { answer: words });
    expect(await world.send('email', noShowMessage)).toEqual(expected);
    Object.assign(world.mail, { answer: undefined });
  });

  it('rejected addresses are counted, and the others receive the message', async () => {
    await using own = await openChannelWorld();
    own.mail.unknown.add('desk@example.test');
    expect(await own.send('email', noShowMessage)).toEqual({ ok: true, answer: '250, 1 of 2 addresses refused' });
    own.mail.unknown.add('ops@example.test');
    expect(await own.send('email', noShowMessage)).toEqual({ ok: false, answer: '550 5.1.1', retry: false });
  });

  it('a wrong password is final, and is not shown', async () => {
    await using mail = await openTestMailServer({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth: (_auth, _session, done) => done(new Error('canary')),
    });
    await using own = await openChannelWorld({ settings: { smtpUrl: mail.url.replace('//', '//ada:canary@') } });
    expect(await own.send('email', noShowMessage)).toEqual({ ok: false, answer: '535', retry: false });
  });

  it('a password is sent over TLS only', async () => {
    const commands: string[] = [];
    await using mail = await openTestMailServer({
      allowInsecureAuth: true,
      onAuth(_auth, _session, done) {
        commands.push('a password');
        done(null, { user: 'ada' });
      },
    });
    const outgoing = createOutgoing({}, { allowPrivate: true });
    const options = { url: mail.url.replace('//', '//ada:canary@'), to: ['ops@example.test'] };
    const guarded = openEmail({ outgoing }, { ...options, allowPrivate: false });
    expect(await guarded.send(noShowMessage, never())).toMatchObject({ ok: false });
    expect([commands, mail.mails]).toEqual([[], []]);
    const open = openEmail({ outgoing }, { ...options, allowPrivate: true });
    expect(await open.send(noShowMessage, never())).toMatchObject({ ok: true });
    expect(commands).toEqual(['a password']);
  });

  it('a message is sent over TLS only, unless private addresses are allowed, of which a start warns (N11)', async () => {
    await using mail = await openTestMailServer();
    const outgoing = createOutgoing({}, { allowPrivate: true });
    const options = { url: mail.url, to: ['ops@example.test'] };
    const guarded = openEmail({ outgoing }, { ...options, allowPrivate: false });
    const refused = { ok: false, answer: 'it offers no encryption (STARTTLS, ALERT_ALLOW_PRIVATE)', retry: false };
    expect(await guarded.send(noShowMessage, never())).toEqual(refused);
    expect(mail.mails).toEqual([]);
    const open = openEmail({ outgoing }, { ...options, allowPrivate: true });
    expect(await open.send(noShowMessage, never())).toMatchObject({ ok: true });
    expect(mail.mails).toHaveLength(1);

    const warnings = async (smtpUrl: string, allowPrivate: boolean) => {
      await using own = await openChannelWorld({ allowPrivate, settings: { smtpUrl } });
      return own.lines.filter((line) => line.includes('"variable":"ALERT_SMTP_URL"')).length;
    };
    const elsewhere = 'smtp://mail.example.test';
    expect([
      await warnings(elsewhere, true),
      await warnings(elsewhere, false),
      await warnings(elsewhere.replace('smtp', 'smtps'), true),
      // It does not leave this machine.
      await warnings(mail.url, true),
    ]).toEqual([1, 0, 0, 0]);
  });

  it('STARTTLS is used where the server offers it, and its certificate is checked (N11)', async () => {
    await using mail = await openTestMailServer({ disabledCommands: [] });
    const outgoing = createOutgoing({}, { allowPrivate: true });
    for (const allowPrivate of [false, true]) {
      const channel = openEmail({ outgoing }, { url: mail.url, to: ['ops@example.test'], allowPrivate });
      const answer = { ok: false, answer: 'its certificate is not valid', retry: true };
      expect(await channel.send(noShowMessage, never())).toEqual(answer);
    }
    expect(mail.mails).toEqual([]);
  });

  it('a server with a self-signed certificate receives nothing', async () => {
    await using mail = await openTestMailServer({ secure: true });
    await using own = await openChannelWorld({ settings: { smtpUrl: mail.url } });
    const answer = { ok: false, answer: 'its certificate is not valid', retry: true };
    expect(await own.send('email', noShowMessage)).toEqual(answer);
    expect(mail.mails).toEqual([]);
  });
});

describe('log', () => {
  it('contains the rule and the booking, and no personal data', async () => {
    const rule = { name: 'missed', title: 'No-show', about: 'About.', template: '{{ name }} {{ email }}' };
    await world.send('log', await buildNoShow({ rule }));
    const line = JSON.parse(world.lines.at(-1) ?? '') as object;
    expect(line).toMatchObject({ level: 'warn', msg: 'alert', rule: 'missed', kind: 'alert', subjects: [inviteeUri] });
    for (const message of [messages.retraction, messages.test]) await world.send('log', message);
    const said = world.lines.slice(-2).map((text) => (JSON.parse(text) as { msg: string }).msg);
    expect(said).toEqual(['alert retracted', 'alert test']);
    expect(world.lines.join('')).not.toMatch(/Ada|Lovelace|Introduction|Hopper/);
  });
});
