// Doctor beside a real product and the sandbox: content when all is well, and precise about each thing that is not.
import { fileURLToPath } from 'node:url';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiScope } from '#schemas/api-scope.ts';
import { loadConfig } from '#src/config/load.ts';
import { openStore } from '#src/store/open-store.ts';
import { writeRows } from '#src/store/rows.ts';
import { timeText } from '#src/base/time.ts';
import type { HealthCheck } from '#src/read/health/health-check.ts';
import { ask } from '../../oracle/deliveries.ts';
import { until } from '../../harness/ports.ts';
import { openHome, type Home, type Settings } from '../../harness/product.ts';
import { openTestSandbox, type TestSandbox } from '../../harness/sandbox.ts';

let sandbox: TestSandbox;
let home: Home;
const open = new AsyncDisposableStack();

beforeAll(async () => {
  sandbox = open.use(await openTestSandbox({ contacts: 5, bookings: 2, rateLimits: false, eventTypes: true }));
  const api = { API_BASE_URL: sandbox.handles.base_url, API_TOKEN: sandbox.handles.tokens.owner };
  const quiet = { RECONCILE_EVERY: '99999d', SWEEP_EVERY: '99999d', WATCH_EVERY: '99999d' };
  home = open.use(await openHome({ ...api, ...quiet }));
  Object.assign(home.settings, { PUBLIC_URL: `http://127.0.0.1:${home.settings['PORT']}` });
  await home.open('start');
  await home.run(['bootstrap']);
  await home.run(['reconcile', '--repair']);
  await home.run(['reconcile', '--repair']);
});
afterAll(() => open.disposeAsync());

async function examine(
  settings: Settings = {},
): Promise<{ code: number | null; of: (name: string) => HealthCheck[]; all: HealthCheck[] }> {
  const { code, out } = await home.run(['doctor', '--json'], settings);
  const findings = JSON.parse(out) as HealthCheck[];
  return { code, all: findings, of: (name) => findings.filter((finding) => finding.id === name) };
}

// In this order: the first finds everything well, the next a delivery, and the last leaves damage.
describe('doctor', { shuffle: false }, () => {
  it('passes on a registered and complete mirror, and changes nothing', async () => {
    const before = await ask(home.store, 'select count(*) as n from event_log');
    const { code, out } = await home.run(['doctor']);
    expect([code, out]).toEqual([0, expect.not.stringMatching(/^[✗!]/m)]);
    for (const line of [
      'token: ',
      'clock: agrees',
      'scopes: ',
      'public URL: reaches this receiver',
      'subscriptions: 5 are up to date; no delivery has arrived yet.',
      'drift: ',
      'processes: Running: start on ',
    ])
      expect(out).toContain(`✓ ${line}`);
    expect(await ask(home.store, 'select count(*) as n from event_log')).toEqual(before);
    expect(out).not.toContain(sandbox.handles.tokens.owner);
    expect(out).not.toContain(home.signingKey);
  });

  it('says when the newest delivery arrived, once one has', async () => {
    const body = { name: 'New', emails: [{ email: 'new@example.com', is_primary: true }] };
    expect((await sandbox.call('POST', '/contacts', { body })).status).toBe(201);
    const arrived = "select received_at from event_log where source = 'webhook'";
    await until(async () => (await ask(home.store, arrived)).length === 1, 'the delivery is in the log');
    const [row] = await ask(home.store, arrived);
    const at = timeText(String(row?.['received_at']));
    expect((await examine()).of('subscriptions')).toMatchObject([
      { state: 'ok', sentence: `5 are up to date; the newest delivery arrived at ${at}.` },
    ]);
  });

  it('says what is not possible without the API, and passes', async () => {
    const { code, of } = await examine({ API_BASE_URL: '', API_TOKEN: '', PUBLIC_URL: '' });
    expect(code).toBe(0);
    expect(of('service')).toEqual([
      expect.objectContaining({ state: 'warning', fix: expect.stringContaining('API_TOKEN') }),
    ]);
    expect(of('public URL')).toEqual([expect.objectContaining({ state: 'warning' })]);
  });

  it('says in which unit amounts of custom fields are read, and warns when one contradicts it', async () => {
    const currency = async (settings?: Settings) => (await examine(settings)).of('currency');
    const minor = { state: 'ok', sentence: expect.stringContaining('minor units') };
    const major = { state: 'ok', sentence: expect.stringContaining('units of their currency') };
    expect(await currency()).toMatchObject([minor]);
    await home.run(['settings', '--apply'], { CURRENCY_FIELDS: 'major' });
    expect(await currency()).toMatchObject([major]);
    await home.run(['settings', '--apply'], { CURRENCY_FIELDS: 'minor' });
    await using store = await openStore({ report: () => {} }, home.store);
    const field = await store.db
      .selectFrom('custom_field_definitions')
      .select('uri')
      .where('field_type', '=', 'currency')
      .executeTakeFirstOrThrow();
    const planted = 'https://api.example.test/contacts/planted';
    const custom_fields = [{ uri: field.uri, label: 'Contract value', value: 19.99 }];
    await writeRows(store, 'contacts', [{ uri: planted, custom_fields }]);
    expect(await currency()).toMatchObject([
      { state: 'warning', fix: expect.stringContaining('CURRENCY_FIELDS=major') },
    ]);
    await store.db.deleteFrom('contacts').where('uri', '=', planted).execute();
    expect(await currency()).toMatchObject([minor]);
  });

  it('says in which time zone days are counted, and refuses what is none', async () => {
    const sentence = expect.stringContaining('Asia/Tokyo');
    const misspelt = await home.run(['settings', '--apply'], { REPORT_TIMEZON: 'Asia/Tokyo' });
    expect(misspelt.out).toContain(
      '! REPORT_TIMEZON is not a setting and has no effect. Did you mean REPORT_TIMEZONE?',
    );
    await home.run(['settings', '--apply'], { REPORT_TIMEZONE: 'Asia/Tokyo' });
    expect((await examine()).of('views')).toMatchObject([{ state: 'ok', sentence }]);
    await home.run(['settings', '--apply'], { REPORT_TIMEZONE: 'UTC' });
    expect((await examine()).of('views')).toEqual([]);
    expect(() => loadConfig({ REPORT_TIMEZONE: '+02:00' })).toThrow(
      'REPORT_TIMEZONE must be an IANA time zone such as Europe/Berlin, not "+02:00"',
    );
  });

  it('checks the service also while the store does not answer', async () => {
    const { of } = await examine({ DATABASE_URL: 'postgres://user@127.0.0.1:1/none' });
    expect(of('store')).toEqual([expect.objectContaining({ state: 'problem' })]);
    for (const name of ['token', 'clock', 'scopes'])
      expect(of(name)).toEqual([expect.objectContaining({ state: 'ok' })]);
  });

  it('reports each wrong setting, once', async () => {
    const file = fileURLToPath(import.meta.url);
    const { base_url, tokens } = sandbox.handles;
    const wrong: readonly (readonly [Settings, string, string])[] = [
      [{ API_TOKEN: 'pat_of_nobody' }, 'service', '401'],
      [{ API_TOKEN: tokens.enterprise }, 'organization', 'The mirror belongs to'],
      [{ DATA_DIR: file }, 'data folder', `DATA_DIR ${file} is a file, not a folder`],
      [{ SIGNING_KEYS: 'another-key-of-twenty-four-bytes-or-more' }, 'public URL', 'rejects our signing key'],
      [{ PUBLIC_URL: 'http://127.0.0.1:1' }, 'public URL', 'nothing answers at http://127.0.0.1:1 ('],
      [{ PUBLIC_URL: base_url }, 'public URL', 'this is not the receiver'],
    ];
    for (const [settings, id, sentence] of wrong) {
      const { code, all, of } = await examine(settings);
      const problem = { state: 'problem', fix: expect.any(String), sentence: expect.stringContaining(sentence) };
      expect([settings, code, of(id)]).toMatchObject([settings, 3, [problem]]);
      expect(all.filter((each) => each.sentence.includes(sentence))).toHaveLength(1);
    }
  });

  it('reports missing scopes, and what will be missing in the mirror', async () => {
    const tokenWith = (...scopes: ApiScope[]) =>
      sandbox.tokens.personal(`narrow-${scopes.length}`, { user: sandbox.handles.users.owner, scopes });
    const narrow = tokenWith('users:read', 'organizations:read', 'webhooks:write', 'scheduled_events:read');
    const { code, of } = await examine({ API_TOKEN: narrow });
    expect(code).toBe(3);
    expect(of('scopes')).toEqual([
      {
        id: 'scopes',
        state: 'problem',
        sentence:
          'the token lacks contacts:read (contacts and the definitions of their custom fields), event_types:read (event types), routing_forms:read (routing forms and their submissions), meeting_recaps:read (meeting recaps and who spoke).',
        fix: expect.stringContaining(
          'users:read, organizations:read, contacts:read, webhooks:write, scheduled_events:read, event_types:read, routing_forms:read, meeting_recaps:read',
        ),
      },
    ]);
    await home.run(['settings', '--apply'], { EVENTS: 'invitee.created' });
    const { of: asked } = await examine({ API_TOKEN: narrow });
    await home.run(['settings', '--apply'], { EVENTS: 'all' });
    expect(asked('scopes')).toEqual([expect.objectContaining({ state: 'ok' })]);
    const { organization, users } = sandbox.handles;
    const { of: configured } = await examine({
      API_TOKEN: tokenWith(),
      ORGANIZATION_URI: organization,
      USER_URI: users.owner,
    });
    for (const scope of ['webhooks:write', 'contacts:read', 'scheduled_events:read', 'meeting_recaps:read'])
      expect(configured('scopes')).toMatchObject([{ sentence: expect.stringContaining(scope) }]);
  });

  it('reads every list that backfill reads, and reports each that cannot be read', async () => {
    const denied = { title: 'Permission Denied', message: 'Please upgrade to a paid Calendly account.' };
    await sandbox.control('POST', '/faults', {
      answers: [
        { path: '/contacts/custom_field_definitions', status: 200, body: { items: [] } },
        { path: '/routing_forms', status: 403, body: denied },
        { path: '/meeting_recaps', status: 404, body: denied },
      ],
    });
    const { code, of } = await examine();
    await sandbox.control('POST', '/faults', {});
    expect(code).toBe(3);
    expect(of('lists').map(({ sentence, fix }) => [sentence, fix])).toEqual([
      [expect.stringMatching(/^custom_field_definitions cannot be read\. .*invalid/), expect.any(String)],
      [expect.stringMatching(/^routing_forms cannot be read\. .*403.*upgrade/), expect.stringContaining('plan')],
      [expect.stringMatching(/^meeting_recaps cannot be read\. .*404/), expect.any(String)],
    ]);
  });

  it('says once that subscriptions cannot be listed, and does not advise to create them', async () => {
    const { users, tokens } = sandbox.handles;
    const narrow = sandbox.tokens.personal('users-only', { user: users.owner, scopes: ['users:read'] });
    expect((await examine({ API_TOKEN: narrow })).of('subscriptions')).toEqual([
      expect.objectContaining({ state: 'warning', sentence: expect.stringContaining('cannot be listed') }),
    ]);
    // Without any scope the line about scopes says it all.
    const { of } = await examine({ API_TOKEN: tokens.no_scopes });
    expect([of('subscriptions'), of('scopes').length]).toMatchObject([[{ state: 'ok' }], 1]);
  });

  it('reports a clock that is wrong', async () => {
    await sandbox.control('POST', '/clock', { advance: '1h' });
    const { code, of } = await examine();
    expect(code).toBe(3);
    expect(of('clock')).toEqual([
      expect.objectContaining({
        state: 'problem',
        sentence: expect.stringMatching(/3[56]\d\d s behind the service\. Every delivery is rejected\./),
      }),
    ]);
  });

  it('reports disabled subscriptions and damaged files of the disk log and the queue', async () => {
    const [first] = sandbox.service.state.subscriptions.values();
    await sandbox.control('POST', '/subscriptions/disable', { uri: first?.uri });
    mkdirSync(join(home.dataDir, 'disk-log'), { recursive: true });
    writeFileSync(join(home.dataDir, 'disk-log', 'damaged-1-2.segment'), 'torn');
    mkdirSync(join(home.dataDir, 'queue'), { recursive: true });
    for (const name of ['damaged-1-jobs.db', 'damaged-1-jobs.db-wal'])
      writeFileSync(join(home.dataDir, 'queue', name), 'no database');
    const { code, of } = await examine();
    expect(code).toBe(3);
    expect(of('subscriptions').map(({ sentence, fix }) => [sentence, fix])).toEqual([
      [
        'The service disabled 1 webhook subscription, which delivers nothing now.',
        expect.stringContaining('./bin/slotstream bootstrap'),
      ],
      ['2 must be created or deleted (bookings and no-shows).', expect.stringContaining('./bin/slotstream bootstrap')],
    ]);
    expect(of('disk log')[0]?.sentence).toContain('1 damaged file (damaged-1-2.segment)');
    expect(of('queue').map(({ sentence }) => sentence)).toContainEqual(
      '1 damaged file (damaged-1-jobs.db); deliveries in them may be lost.',
    );
    expect(of('disk log')[0]?.fix).toContain('./bin/slotstream reconcile --repair');
  });
});
