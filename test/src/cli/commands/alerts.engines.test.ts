// `slotstream alerts` as an operator types it: what the other side answered, what failed, and sending it again.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { markFailed } from '#src/store/alerts/send-results.ts';
import { deleteAlerts, insertAlerts, readAlerts } from '#src/store/alerts/alert-rows.ts';
import { writeRows } from '#src/store/rows.ts';
import { openStore } from '#src/store/open-store.ts';
import { listen, openAdmin } from '../../../harness/mirror/api-app.ts';
import { openHome, type Home } from '../../../harness/product.ts';
import { openCallback, type Callback } from '../../../harness/sandbox/callback-server.ts';

const secret = 'whsec_c2VjcmV0LW9mLXRoZS1hbGVydC13ZWJob29r';
const path = '/services/T000/B000/a-secret-path';
const time = '2026-01-01T00:00:00.000000Z';

describe('slotstream alerts', () => {
  let home: Home;
  let sink: Callback;
  let broken: Callback;
  const opened = new AsyncDisposableStack();
  beforeAll(async () => {
    [sink, broken] = [opened.use(await openCallback()), opened.use(await openCallback())];
    Object.assign(sink, { answer: 200, words: { body: 'ok' } });
    broken.answer = 500;
    home = opened.use(await openHome({ ALERT_SLACK_URL: sink.url + path, ALERT_ALLOW_PRIVATE: 'true' }));
  });
  afterAll(() => opened.disposeAsync());

  it('test sends a message to each configured channel and shows the answer', async () => {
    const more = { ALERT_WEBHOOK_URL: broken.url, ALERT_WEBHOOK_SECRET: secret };
    const { code, out, err } = await home.run(['alerts', 'test', '--json'], more);
    expect([code, err]).toEqual([1, expect.stringContaining('→ Check ALERT_WEBHOOK_URL and ALERT_WEBHOOK_SECRET')]);
    expect(JSON.parse(out)).toEqual([
      { channel: 'slack', target: new URL(sink.url).host, ok: true, answer: expect.stringContaining('200') },
      { channel: 'webhook', target: new URL(broken.url).host, ok: false, answer: expect.stringContaining('500') },
    ]);
    expect(broken.received.map(({ body }) => body.type)).toContain('alert.test');
    expect(out).not.toContain('a-secret-path');
  });

  it('test sends to the addresses of rules too, and does not show them', async () => {
    const file = join(home.dataDir, 'own.json');
    const rule = { name: 'sales', when: 'no_show', slack_url: `${broken.url}?key=a-secret-path` };
    await writeFile(file, JSON.stringify({ rules: [rule] }));
    const { code, out, err } = await home.run(['alerts', 'test', '--channel', 'slack'], { ALERTS_FILE: file });
    expect([code, out]).toEqual([1, expect.stringMatching(/slack .* ✓ [^]*slack of sales .* ✗ /)]);
    expect(err).toContain('✗ slack of sales did not accept the message.');
    expect(out + err).not.toContain('a-secret-path');
  });

  it('list shows whom or what an alert is about, and when a pending one is due', async () => {
    await using store = await openStore({ report: () => {} }, home.store);
    const [invitee, host] = ['https://service.example.com/invitees/9', 'https://service.example.com/users/9'];
    const submission = 'https://service.example.com/routing_form_submissions/9';
    const later = '2026-01-01T06:30:00.000000Z';
    const alert = { rule: 'named', channel: 'slack', fact: 'a', occurred_at: time, due_at: later };
    await store.transaction(async (unit) => {
      await writeRows(unit, 'invitees', [{ uri: invitee, name: 'Juan Weber\u009b31m' }]);
      await writeRows(unit, 'users', [{ uri: host, name: 'Rosa Bergström' }]);
      const answers = [{ answer: 'Ada' }, { answer: 'ada@example.test' }];
      await writeRows(unit, 'routing_form_submissions', [{ uri: submission, questions_and_answers: answers }]);
      const subjects = [invitee, host, submission, 'mirror'];
      await insertAlerts(
        unit,
        subjects.map((subject_uri, n) => ({ ...alert, id: `n${n}`, subject_uri })),
        time,
      );
    });
    const { out } = await home.run(['alerts', 'list', '--rule', 'named']);
    for (const name of ['Juan Weber\\\\u009b31m', 'Rosa Bergström', 'ada@example.test', 'mirror'])
      expect(out).toMatch(new RegExp(`pending +2026-01-01 06:30:00 +slack +named +${name} `));
    await store.transaction((unit) => deleteAlerts(unit, ['n0', 'n1', 'n2', 'n3']));
  });

  it('test and doctor warn of missing links and of fields that contacts do not have', async () => {
    await using store = await openStore({ report: () => {} }, home.store);
    await store.transaction((unit) =>
      writeRows(unit, 'custom_field_definitions', [{ uri: 'https://service.example.com/fields/1', label: 'Segment' }]),
    );
    const file = join(home.dataDir, 'vip.json');
    await writeFile(file, JSON.stringify({ rules: [{ name: 'vip', when: 'vip', contact: { Tier: 'gold' } }] }));
    const readiness = async () => ({ status: 'ready', engines: { store: 'up' } }) as const;
    await using worker = await listen(openAdmin({ health: { readiness } }));
    for (const verb of [['alerts', 'test'], ['doctor']]) {
      const bad = await home.run(verb, { ALERTS_FILE: file });
      expect(bad.out + bad.err).toContain('Rule vip: contacts have no field “Tier”. Custom fields: Segment.');
      expect(bad.out + bad.err).toContain('Set ADMIN_URL');
      const good = await home.run(verb, { ADMIN_URL: worker.url });
      expect(good.out + good.err).not.toMatch(/Tier|ADMIN_URL/);
    }
  });

  it('test works without a store, and says what it did not check', async () => {
    const { code, out, err } = await home.run(['alerts', 'test'], { DATABASE_URL: 'postgres://127.0.0.1:9/none' });
    expect([code, out]).toEqual([0, expect.stringMatching(/slack .* ✓ /)]);
    expect(err).toContain('The custom fields in rules were not checked');
  });

  it('list, resend and doctor show an alert that failed', async () => {
    await using store = await openStore({ report: () => {} }, home.store);
    await store.transaction(async (unit) => {
      const fact = {
        fact: 'mark',
        occurred_at: time,
        due_at: time,
        subject_uri: 'https://service.example.com/invitees/1',
      };
      await insertAlerts(unit, [{ id: 'one', rule: 'no_show', channel: 'slack', ...fact }], time);
      const failure = { now: time, error: '503 \u001b[31m', next_at: undefined };
      await markFailed(unit, await readAlerts(unit, ['one']), failure);
    });
    const listed = await home.run(['alerts', 'list', '--state', 'failed']);
    const line = /failed +slack +no_show +https:\/\/service\.example\.com\/invitees\/1 +1 +one +503/;
    expect([listed.code, listed.out]).toEqual([0, expect.stringMatching(line)]);
    expect(listed.out).not.toContain('\u001b');
    const doctor = await home.run(['doctor']);
    expect(doctor.out).toContain('✗ alerts: 1 alert could not be sent to slack.');
    expect((await home.run(['status'])).out).toMatch(/Alerts\n[^]*1 failed/);

    const wrong = await home.run(['alerts', 'resend']);
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('--failed')]);
    const unknown = await home.run(['alerts', 'resend', 'two']);
    expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining('no alert two')]);
    const { code, out } = await home.run(['alerts', 'resend', '--failed', '--json']);
    expect([code, JSON.parse(out)]).toEqual([0, { resent: ['one'] }]);
    const again = await home.run(['alerts', 'resend', 'one']);
    expect([again.code, again.err]).toEqual([2, expect.stringContaining('The state of this alert is pending')]);
    expect(JSON.parse((await home.run(['alerts', 'list', '--json'])).out)).toMatchObject([
      { id: 'one', state: 'pending', attempts: 0 },
    ]);
  });
});
