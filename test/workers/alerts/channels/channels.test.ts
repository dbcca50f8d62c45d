// What every channel keeps: it takes a message over, says what the other side answered without its words, goes nowhere private by
// itself, and lets no name do anything. Against a real web server and a real mail server.
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { createLog } from '#src/observability/log.ts';
import { createOutgoing } from '#src/egress/http.ts';
import type { Channel, SendResult } from '#workers/alerts/channels/channel.ts';
import { configuredChannels, openChannels, type ChannelSettings } from '#workers/alerts/channels/channels.ts';
import { mailBody, openEmail } from '#workers/alerts/channels/email.ts';
import { slackBody } from '#workers/alerts/channels/slack.ts';
import { buildDigest } from '#workers/alerts/message/digest.ts';
import { buildMessage, testMessage, type Message, type MessageInput } from '#workers/alerts/message/message.ts';
import { bookingContext, inviteeUri } from '../../../harness/data/booking-context.ts';
import { messageTexts } from '../../../harness/data/hostile.ts';
import { openCallback } from '../../../harness/sandbox/callback-server.ts';
import { openTestMailServer } from '../../../harness/alerts/mail-server.ts';

const needs = { adminUrl: 'https://slots.example.test' };
const bookingLink = 'https://slots.example.test/bookings/I1';
const secret = `whsec_${Buffer.from('canary-secret-of-alerts').toString('base64')}`;
const never = () => new AbortController().signal;

const noShow: MessageInput = {
  id: 'a1b2c3',
  rule: { name: 'missed', title: 'No-show', about: 'An invitee did not show up.' },
  kind: 'alert',
  about: {
    context: bookingContext(),
    fact: { kind: 'no_show', noShowUri: 'https://api.example.test/invitee_no_shows/N1' },
  },
  occurredAt: '2026-11-16T15:10:00.000000Z',
};

const httpChannels = ['slack', 'teams', 'discord', 'pagerduty', 'ntfy', 'webhook'] as const;

/** Every channel there is, a web server and a mail server behind them. */
async function openWorld({
  allowPrivate = true,
  settings = {},
}: { allowPrivate?: boolean; settings?: Partial<ChannelSettings> } = {}) {
  const stack = new AsyncDisposableStack();
  const web = stack.use(await openCallback());
  const mail = stack.use(await openTestMailServer());
  const lines: string[] = [];
  const log = createLog({
    level: 'info',
    pretty: false,
    destination: { write: (line: string) => void lines.push(line) },
  });
  const channels = await openChannels(
    {
      slackUrl: `${web.url}/T0/B0/canary`,
      teamsUrl: `${web.url}/canary?sig=canary`,
      discordUrl: `${web.url}/canary`,
      pagerdutyKey: 'canary0123456789canary0123456789',
      pagerdutyUrl: web.url,
      ntfyUrl: `${web.url}/canary`,
      ntfyToken: 'tk_canary',
      webhookUrl: `${web.url}?key=canary`,
      webhookSecret: secret,
      smtpUrl: mail.url,
      emailTo: ['ops@example.test', 'desk@example.test'],
      allowPrivate,
      installation: 'hooks.example.test',
      ...settings,
    },
    { log, clock: Date.now },
  );
  for (const channel of channels.values()) stack.defer(async () => channel.close?.());
  const send = (name: string, message: Message, signal = never()): Promise<SendResult> =>
    (channels.get(name) as Channel).send(message, signal);
  return { web, mail, lines, channels, send, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

describe('every channel', () => {
  it('sends a message and returns the answer', async () => {
    await using world = await openWorld();
    const message = testMessage(needs, { id: 't1', now: '2026-11-16T15:10:00.000000Z' });
    const answers = new Map<string, SendResult>();
    for (const [name] of world.channels) answers.set(name, await world.send(name, message));
    expect(Object.fromEntries(answers)).toEqual({
      log: { ok: true, answer: 'written' },
      slack: { ok: true, answer: '202' },
      teams: { ok: true, answer: '202' },
      discord: { ok: true, answer: '202' },
      pagerduty: { ok: true, answer: '202' },
      ntfy: { ok: true, answer: '202' },
      webhook: { ok: true, answer: '202' },
      email: { ok: true, answer: '250' },
    });
  });

  it('names its target without a path, a key or a password', async () => {
    await using world = await openWorld({
      settings: { smtpUrl: 'smtps://ada%40example.test:canary@mail.example.test' },
    });
    for (const { target } of world.channels.values()) expect(target).not.toMatch(/canary|\/|@/);
    expect(world.channels.get('email')?.target).toBe('mail.example.test');
  });

  it('sends nothing to private addresses by default', async () => {
    await using world = await openWorld({ allowPrivate: false });
    const message = await buildMessage(needs, noShow);
    for (const name of [...httpChannels, 'email'] as const)
      expect(await world.send(name, message)).toEqual({
        ok: false,
        answer: 'it leads to a private or special network address (ALERT_ALLOW_PRIVATE)',
        retry: false,
      });
    expect([world.web.received, world.mail.mails]).toEqual([[], []]);
  });

  it('stops when the signal aborts', async () => {
    await using world = await openWorld();
    world.web.answer = null;
    world.mail.answer = null;
    const message = await buildMessage(needs, noShow);
    for (const name of [...httpChannels, 'email'] as const) {
      const answer = await world.send(name, message, AbortSignal.timeout(300));
      expect(answer).toEqual({ ok: false, answer: 'no answer in time', retry: true, outcomeUnknown: true });
    }
  });

  it('is open when it is configured; the log is always open and is the default when nothing else is configured', async () => {
    const none = {
      slackUrl: undefined,
      teamsUrl: undefined,
      discordUrl: undefined,
      pagerdutyKey: undefined,
      pagerdutyUrl: 'https://events.pagerduty.com/v2/enqueue',
      ntfyUrl: undefined,
      ntfyToken: undefined,
      webhookUrl: undefined,
      webhookSecret: undefined,
      smtpUrl: undefined,
      emailTo: undefined,
      allowPrivate: false,
      installation: 'slotstream',
    };
    const log = createLog({ level: 'silent', pretty: false });
    expect([...(await openChannels(none, { log, clock: Date.now })).keys()]).toEqual(['log']);
    expect(configuredChannels(none)).toEqual(['log']);
    expect(configuredChannels({ ...none, slackUrl: 'https://hooks.example.test' })).toEqual(['slack']);
  });

  it('warns when alerts are sent without encryption', async () => {
    await using world = await openWorld({ allowPrivate: false });
    expect(world.lines.map((line) => (JSON.parse(line) as { variable: string }).variable)).toEqual([
      'ALERT_SLACK_URL',
      'ALERT_TEAMS_URL',
      'ALERT_DISCORD_URL',
      'ALERT_PAGERDUTY_URL',
      'ALERT_NTFY_URL',
      'ALERT_WEBHOOK_URL',
    ]);
  });
});

describe.each(httpChannels)('the HTTP answer to %s', (name) => {
  const answered = async (status: number, words: { headers?: Record<string, string>; body?: string } = {}) => {
    await using world = await openWorld();
    world.web.answer = status;
    world.web.words = words;
    // Awaited here: the world ends with this function.
    return await world.send(name, await buildMessage(needs, noShow));
  };

  it.each([200, 201, 202, 204])('%i counts as sent', async (status) => {
    expect(await answered(status)).toEqual({ ok: true, answer: String(status) });
  });

  it.each([502, 504])('%i is retried, and the outcome is unknown', async (status) => {
    expect(await answered(status)).toEqual({ ok: false, answer: String(status), retry: true, outcomeUnknown: true });
  });

  it.each([408, 425, 429, 500, 503])('%i is retried', async (status) => {
    expect(await answered(status)).toEqual({ ok: false, answer: String(status), retry: true });
  });

  it.each([400, 401, 403, 410, 413])('%i is final', async (status) => {
    expect(await answered(status)).toEqual({ ok: false, answer: String(status), retry: false });
  });

  it.each([301, 302, 307, 308])('%i is not followed', async (status) => {
    const answer = await answered(status, { headers: { location: 'http://127.0.0.1:1/' } });
    expect(answer).toEqual({ ok: false, answer: `${status}: redirects are not followed`, retry: false });
  });

  it.each([
    ['7', 7_000],
    ['0', 0],
    ['1000000000', 180_000],
    ['soon', undefined],
    ['-5', undefined],
  ])('Retry-After: %s asks for %s ms', async (after, retryAfterMs) => {
    const answer = await answered(429, { headers: { 'retry-after': after } });
    expect(answer).toEqual({
      ok: false,
      answer: '429',
      retry: true,
      ...(retryAfterMs !== undefined && { retryAfterMs, isLimited: true }),
    });
    const unavailable = await answered(503, { headers: { 'retry-after': after } });
    expect(unavailable).not.toHaveProperty('isLimited');
  });

  it('its body is not shown: it may repeat what we sent', async () => {
    expect(await answered(500, { body: 'Ada Lovelace ada@example.test canary' })).toMatchObject({ answer: '500' });
  });
});

describe('slack', () => {
  it('shows name, event, time in the time zone of the host, and a link', async () => {
    await using world = await openWorld();
    await world.send('slack', await buildMessage(needs, noShow));
    expect(world.web.received[0]?.body).toMatchObject({
      text: `No-show: Ada Lovelace\nAda Lovelace did not show up for Introduction.\n${bookingLink}`,
      blocks: [
        { type: 'header', text: { type: 'plain_text', text: 'No-show: Ada Lovelace' } },
        { type: 'section', text: { type: 'plain_text', text: 'Ada Lovelace did not show up for Introduction.' } },
        {
          type: 'section',
          fields: [
            { type: 'plain_text', text: 'Who: Ada Lovelace' },
            { type: 'plain_text', text: 'E-mail: ada@example.test' },
            { type: 'plain_text', text: 'Event: Introduction' },
            { type: 'plain_text', text: 'When: Mon, 16 Nov 2026, 15:00–16:00 (Europe/Berlin)' },
            { type: 'plain_text', text: 'Host: Grace Hopper' },
          ],
        },
        { type: 'context', elements: [{ type: 'mrkdwn', text: `<${bookingLink}|Open the booking>` }] },
      ],
    });
  });

  it('mentions the hosts of a rule with to_host, and no other person', async () => {
    await using world = await openWorld();
    const hosts = [
      { email: 'grace@example.test', slackUser: 'U012AB3CD' },
      { email: 'alan@example.test', slackUser: undefined },
    ];
    await world.send('slack', { ...(await buildMessage(needs, noShow)), hosts });
    expect(world.web.received[0]?.body.blocks[2]).toEqual({
      type: 'section',
      text: { type: 'mrkdwn', text: '<@U012AB3CD>' },
    });
  });

  it('shows a reschedule link as a link, and a name that looks like one as text', async () => {
    const context = bookingContext({
      invitee: { name: 'https://evil.example.test', reschedule_url: 'https://book.example.test/r/1?a=1&b=2' },
    });
    const fact = { kind: 'no_show', noShowUri: 'https://api.example.test/invitee_no_shows/N1' } as const;
    const message = await buildMessage(needs, { ...noShow, about: { context, fact } });
    expect(JSON.stringify(slackBody(message))).toContain(
      '{"type":"mrkdwn","text":"<https://book.example.test/r/1?a=1&amp;b=2|Reschedule>"}',
    );
    expect(JSON.stringify(slackBody(message))).not.toContain('<https://evil');
    expect(mailBody(message).html).toContain('<a href="https://book.example.test/r/1?a=1&amp;b=2">');
    expect(mailBody(message).html).not.toContain('href="https://evil');
  });

  it('shows the error codes of Slack, and a missing address is final', async () => {
    await using world = await openWorld();
    world.web.answer = 404;
    world.web.words = { body: 'no_service' };
    expect(await world.send('slack', await buildMessage(needs, noShow))).toEqual({
      ok: false,
      answer: '404 no_service',
      retry: false,
    });
  });
});

describe('webhook', () => {
  it.each([
    ['whsec_ and base64', secret, new Webhook(secret)],
    ['any text', 'a text of more than sixteen', new Webhook('a text of more than sixteen', { format: 'raw' })],
  ])('is signed as Standard Webhooks, with a secret that is %s', async (_what, webhookSecret, verifier) => {
    await using world = await openWorld({ settings: { webhookSecret } });
    await world.send('webhook', await buildMessage(needs, noShow));
    const [{ raw, headers } = { raw: Buffer.alloc(0), headers: {} }] = world.web.received;
    expect(verifier.verify(raw.toString(), headers as Record<string, string>)).toEqual({
      id: 'a1b2c3',
      type: 'alert',
      timestamp: '2026-11-16T15:10:00.000000Z',
      data: {
        rule: 'missed',
        follows: null,
        title: 'No-show: Ada Lovelace',
        text: 'Ada Lovelace did not show up for Introduction.',
        facts: (await buildMessage(needs, noShow)).facts,
        link: bookingLink,
        subject_uris: [inviteeUri],
      },
    });
  });

  it('has the same id at every attempt', async () => {
    await using world = await openWorld();
    const message = await buildMessage(needs, noShow);
    for (const status of [500, 200]) {
      world.web.answer = status;
      await world.send('webhook', message);
    }
    expect(world.web.received.map(({ headers }) => headers['webhook-id'])).toEqual(['a1b2c3', 'a1b2c3']);
  });

  it('retries when there is no listener yet', async () => {
    await using world = await openWorld();
    world.web.answer = 404;
    expect(await world.send('webhook', await buildMessage(needs, noShow))).toEqual({
      ok: false,
      answer: '404',
      retry: true,
    });
  });
});

describe('email', () => {
  it('reaches every recipient, as text and HTML, with one Message-ID per message', async () => {
    await using world = await openWorld();
    await world.send('email', await buildMessage(needs, noShow));
    await world.send(
      'email',
      await buildMessage(needs, { ...noShow, id: 'a1b2c3-retraction', kind: 'retraction', follows: 'a1b2c3' }),
    );
    const [alert, retraction] = world.mail.mails.map(({ headers, ...mail }) => ({
      ...mail,
      headers: new Map(headers.map(({ name, value }) => [name, value])),
    }));
    expect(alert).toMatchObject({ from: 'alerts@slots.example.test', to: ['ops@example.test', 'desk@example.test'] });
    expect(alert?.headers.get('Subject')).toBe('No-show: Ada Lovelace');
    expect(alert?.headers.get('Auto-Submitted')).toBe('auto-generated');
    expect(alert?.headers.get('Message-ID')).toBe('<a1b2c3@slots.example.test>');
    expect(alert?.text).toContain('When: Mon, 16 Nov 2026, 15:00–16:00 (Europe/Berlin)');
    expect(alert?.html).toContain(`<a href="${bookingLink}">Open the booking</a>`);
    expect(retraction?.headers.get('In-Reply-To')).toBe('<a1b2c3@slots.example.test>');
  });

  it('reaches the hosts instead for a rule with to_host; without an address, the configured recipients', async () => {
    await using world = await openWorld();
    const message = await buildMessage(needs, noShow);
    await world.send('email', { ...message, hosts: [{ email: 'grace@example.test', slackUser: undefined }] });
    await world.send('email', { ...message, hosts: [] });
    expect(world.mail.mails.map(({ to }) => to)).toEqual([
      ['grace@example.test'],
      ['ops@example.test', 'desk@example.test'],
    ]);
  });

  it.each([
    ['450 4.2.1 <ops@example.test> is busy', { ok: false, answer: '450 4.2.1', retry: true }],
    ['550 5.7.1 <ops@example.test> refused: Ada Lovelace', { ok: false, answer: '550 5.7.1', retry: false }],
    ['554 no', { ok: false, answer: '554', retry: false }],
  ])('%s is shown by its codes', async (words, expected) => {
    await using world = await openWorld();
    world.mail.answer = words;
    expect(await world.send('email', await buildMessage(needs, noShow))).toEqual(expected);
  });

  it('rejected addresses are counted, and the others receive the message', async () => {
    await using world = await openWorld();
    world.mail.unknown.add('desk@example.test');
    const answer = await world.send('email', await buildMessage(needs, noShow));
    expect(answer).toEqual({ ok: true, answer: '250, 1 of 2 addresses refused' });
    world.mail.unknown.add('ops@example.test');
    expect(await world.send('email', await buildMessage(needs, noShow))).toEqual({
      ok: false,
      answer: '550 5.1.1',
      retry: false,
    });
  });

  it('a wrong password is final, and is not shown', async () => {
    await using mail = await openTestMailServer({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth: (_auth, _session, done) => done(new Error('canary')),
    });
    await using world = await openWorld({ settings: { smtpUrl: mail.url.replace('//', '//ada:canary@') } });
    expect(await world.send('email', await buildMessage(needs, noShow))).toEqual({
      ok: false,
      answer: '535',
      retry: false,
    });
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
    const message = await buildMessage(needs, noShow);
    const guarded = openEmail({ outgoing }, { ...options, allowPrivate: false });
    expect(await guarded.send(message, never())).toMatchObject({ ok: false });
    expect([commands, mail.mails]).toEqual([[], []]);
    const open = openEmail({ outgoing }, { ...options, allowPrivate: true });
    expect(await open.send(message, never())).toMatchObject({ ok: true });
    expect(commands).toEqual(['a password']);
  });

  it('a server with a self-signed certificate receives nothing', async () => {
    await using mail = await openTestMailServer({ secure: true });
    await using world = await openWorld({ settings: { smtpUrl: mail.url } });
    expect(await world.send('email', await buildMessage(needs, noShow))).toEqual({
      ok: false,
      answer: 'its certificate is not valid',
      retry: true,
    });
    expect(mail.mails).toEqual([]);
  });
});

describe('log', () => {
  it('contains the rule and the booking, and no personal data', async () => {
    await using world = await openWorld();
    await world.send(
      'log',
      await buildMessage(needs, { ...noShow, rule: { ...noShow.rule, template: '{{ name }} {{ email }}' } }),
    );
    const line = JSON.parse(world.lines.at(-1) ?? '') as object;
    expect(line).toMatchObject({ level: 'warn', msg: 'alert', rule: 'missed', kind: 'alert', subjects: [inviteeUri] });
    expect(world.lines.join('')).not.toMatch(/Ada|Lovelace|Introduction|Hopper/);
  });
});

const everyHeader = [
  'Auto-Submitted',
  'Content-Type',
  'Date',
  'From',
  'MIME-Version',
  'Message-ID',
  'Subject',
  'To',
  'X-Slotstream-Rule',
];

const ownLink = /^<https:\/\/slots\.example\.test\/(?:bookings\/[\w%.-]+)?\|Open (?:the booking|Slotstream)>$/;

describe.each(Object.entries(messageTexts))('a name with %s', (_what, name) => {
  const context = bookingContext({
    invitee: { name, cancel_reason: name, canceled_at: '2026-11-16T13:00:00.000000Z', status: 'canceled' },
    event: { name, hosts: [{ user_name: name }] },
    known: { eventTypeName: name, marks: [] },
  });
  const hostile: MessageInput = {
    ...noShow,
    about: { context, fact: { kind: 'canceled', at: '2026-11-16T13:00:00.000000Z' } },
    rule: { name: 'late', title: 'Late cancellation', about: 'A booking was canceled.' },
  };
  const all = async (): Promise<readonly Message[]> => {
    const plain = await buildMessage(needs, hostile);
    const inTemplate = await buildMessage(needs, {
      ...hostile,
      rule: { ...hostile.rule, template: 'New:\n{{ name }}\n{{ reason }}' },
    });
    return [plain, inTemplate, buildDigest(needs, { id: 'd1', rule: hostile.rule, messages: [plain, inTemplate] })];
  };

  it('is inert in Slack', async () => {
    await using world = await openWorld();
    for (const message of await all()) expect(await world.send('slack', message)).toMatchObject({ ok: true });
    for (const { body, raw } of world.web.received) {
      expect(raw.length).toBeLessThan(30_000);
      const shown = JSON.stringify(body);
      expect(shown).not.toMatch(/@(here|channel|everyone|all)\b/);
      expect(shown).not.toContain('](');
      expect(body.text).not.toMatch(/[<>]/);
      expect(body.text.length).toBeLessThanOrEqual(4_000);
      const marked = body.blocks.flatMap(({ elements }: { elements?: object[] }) => elements ?? []);
      expect(marked).toEqual([{ type: 'mrkdwn', text: expect.stringMatching(ownLink) }]);
      for (const { type, text, fields = [] } of body.blocks as Block[])
        for (const one of [...(text === undefined ? [] : [text]), ...fields]) {
          expect(one.type).toBe('plain_text');
          expect(one.text.length).toBeLessThanOrEqual(type === 'header' ? 150 : text === undefined ? 2_000 : 3_000);
          expect(one.text.isWellFormed()).toBe(true);
          expect(one.text).not.toMatch(obeyed);
        }
    }
  });

  it('is inert in a mail', async () => {
    await using world = await openWorld();
    for (const message of await all()) expect(await world.send('email', message)).toMatchObject({ ok: true });
    expect(world.mail.mails).toHaveLength(3);
    for (const { headers, html, text, raw, from, to } of world.mail.mails) {
      expect(headers.map((header) => header.name).toSorted()).toEqual(everyHeader);
      expect(headers.find((header) => header.name === 'Subject')?.value).not.toMatch(/=\?utf-8\?(Q\?=0D|B\?PGI)/);
      expect({ from, to }).toEqual({
        from: 'alerts@slots.example.test',
        to: ['ops@example.test', 'desk@example.test'],
      });
      expect(raw.length).toBeLessThan(60_000);
      expect(raw.split('\r\n').every((line) => line.length <= 998)).toBe(true);
      const tags = [...html.matchAll(/<\/?([^\s>]+)/g)].map(([, tag]) => tag);
      expect(tags.filter((tag) => !knownTags.has(tag ?? ''))).toEqual([]);
      expect([...html.matchAll(/href="([^"]*)"/g)].map(([, href]) => href)).toEqual([
        expect.stringMatching(/^https:\/\/slots\.example\.test\/(?:bookings\/[\w%.-]+)?$/),
      ]);
      expect(html).not.toMatch(/<[^>]*\son\w+=/);
      expect(text).not.toMatch(obeyed);
      expect(html).not.toMatch(obeyed);
    }
  });

  it('reaches a webhook within the limits and correctly signed', async () => {
    await using world = await openWorld();
    for (const message of await all()) expect(await world.send('webhook', message)).toMatchObject({ ok: true });
    for (const { raw, headers } of world.web.received) {
      expect(raw.length).toBeLessThan(30_000);
      expect(new Webhook(secret).verify(raw.toString(), headers as Record<string, string>)).toMatchObject({
        data: { rule: 'late' },
      });
    }
  });
});

interface Block {
  readonly type: string;
  readonly text?: { readonly type: string; readonly text: string };
  readonly fields?: readonly { readonly type: string; readonly text: string }[];
}

/** Line ends are ours. */
const obeyed = /[\u0000-\u0009\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;
const knownTags = new Set([
  '!doctype',
  'html',
  'head',
  'meta',
  'body',
  'h2',
  'bdi',
  'p',
  'br',
  'table',
  'tr',
  'th',
  'td',
  'a',
]);
