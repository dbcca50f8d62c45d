// Alerts on the admin listener, on every store: listed, filtered, walked through page by page, and sent again when they failed.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { markFailed, markSent } from '#src/store/alerts/send-results.ts';
import { alertTotals, countAlerts } from '#src/store/alerts/alert-queries.ts';
import { insertAlerts, readAlerts, type NewAlert } from '#src/store/alerts/alert-rows.ts';
import type { Store } from '#src/store/contract.ts';
import { openReadApi } from '../../harness/mirror/read-api.ts';
import { storeEngines } from '../../harness/stores.ts';
import { propertyTimeoutMs, runs } from '../../harness/runs.ts';

const time = (second: number) => `2026-01-01T00:00:${String(second).padStart(2, '0')}.000000Z`;
const invitee = (n: number) => `https://service.example.com/scheduled_events/1/invitees/${n}`;

const alert = (n: number, more: Partial<NewAlert> = {}): NewAlert => ({
  id: `alert-${n}`,
  rule: 'no_show',
  channel: 'slack',
  subject_uri: invitee(n),
  fact: `https://service.example.com/invitee_no_shows/${n}`,
  occurred_at: time(0),
  due_at: time(1),
  ...more,
});

const add = (store: Store, alerts: readonly NewAlert[], now: string) =>
  store.transaction((unit) => insertAlerts(unit, alerts, now));

async function mark(store: Store, id: string, how: 'sent' | 'failed'): Promise<void> {
  const found = await readAlerts(store, [id]);
  await store.transaction((unit) =>
    how === 'sent'
      ? markSent(unit, found, time(30))
      : markFailed(unit, found, { now: time(30), error: 'answered 500', next_at: undefined }),
  );
}

const idsIn = (body: { collection: readonly { id: string }[] }) => body.collection.map(({ id }) => id);

for (const engine of storeEngines)
  describe.runIf(engine.available)(`alerts on ${engine.name}`, () => {
    async function openAlerts() {
      const api = await openReadApi(engine.fresh);
      await add(api.store, [alert(1), alert(2, { channel: 'email' })], time(1));
      await add(api.store, [alert(3, { rule: 'lag', subject_uri: 'mirror', detail: 'late' }), alert(4)], time(2));
      await mark(api.store, 'alert-1', 'sent');
      await mark(api.store, 'alert-4', 'failed');
      return api;
    }

    it('are listed newest first, with state, attempts and last error, and without personal data', async () => {
      await using api = await openAlerts();
      const { status, body } = await api.get('/api/alerts');
      expect([status, idsIn(body)]).toEqual([200, ['alert-4', 'alert-3', 'alert-2', 'alert-1']]);
      expect(body.collection[0]).toEqual({
        id: 'alert-4',
        rule: 'no_show',
        channel: 'slack',
        subject_uri: invitee(4),
        fact: 'https://service.example.com/invitee_no_shows/4',
        state: 'failed',
        attempts: 1,
        last_error: 'answered 500',
        detail: null,
        occurred_at: time(0),
        due_at: time(1),
        next_at: time(1),
        sent_at: null,
        created_at: time(2),
        updated_at: time(30),
      });
    });

    it('are found by state, rule, channel and subject', async () => {
      await using api = await openAlerts();
      const found = async (query: string) => idsIn((await api.get(`/api/alerts?${query}`)).body);
      expect(await found('state=pending')).toEqual(['alert-3', 'alert-2']);
      expect(await found('rule=lag')).toEqual(['alert-3']);
      expect(await found('channel=email')).toEqual(['alert-2']);
      expect(await found(`subject=${encodeURIComponent(invitee(1))}`)).toEqual(['alert-1']);
      expect(await found('channel=slack&state=sent')).toEqual(['alert-1']);
      const { status, body } = await api.get('/api/alerts?state=said');
      expect([status, body.details[0].parameter]).toEqual([400, 'state']);
    });

    it(
      'are walked through completely and in order, whatever the page size and however many share a moment',
      { timeout: propertyTimeoutMs },
      async () => {
        await using api = await openReadApi(engine.fresh);
        const seconds = fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 12 });
        await fc.assert(
          fc.asyncProperty(seconds, fc.integer({ min: 1, max: 5 }), async (moments, count) => {
            await api.store.db.deleteFrom('alerts').execute();
            for (const [n, second] of moments.entries()) await add(api.store, [alert(n)], time(second));
            const wanted = moments
              .map((second, n) => ({ second, id: `alert-${n}` }))
              .toSorted((a, b) => b.second - a.second || (a.id < b.id ? 1 : -1))
              .map(({ id }) => id);
            const walked: string[] = [];
            let page = (await api.get(`/api/alerts?count=${count}`)).body;
            const tokens: (string | null)[] = [];
            for (;;) {
              walked.push(...idsIn(page));
              tokens.push(page.pagination.previous_page_token);
              const next = page.pagination.next_page_token;
              if (next === null) break;
              page = (await api.get(`/api/alerts?count=${count}&page_token=${next}`)).body;
            }
            expect(walked).toEqual(wanted);
            const back = tokens.at(-1);
            if (back == null) return;
            const before = (await api.get(`/api/alerts?count=${count}&page_token=${back}`)).body;
            expect(idsIn(before)).toEqual(wanted.slice(-idsIn(page).length - count, -idsIn(page).length));
          }),
          runs(engine.name === 'sqlite' ? 25 : 8),
        );
      },
    );

    it('are resent when they failed, and only then', async () => {
      await using api = await openAlerts();
      const { status, body } = await api.post('/api/alerts/alert-4/resend');
      expect([status, body.resource]).toMatchObject([200, { id: 'alert-4', state: 'pending', attempts: 0 }]);
      expect(Date.parse(body.resource.next_at)).toBeGreaterThan(Date.now() - 60_000);
      expect((await api.post('/api/alerts/alert-4/resend')).status).toBe(409);
      expect((await api.post('/api/alerts/alert-1/resend')).status).toBe(409);
      expect((await api.post('/api/alerts/unknown/resend')).status).toBe(404);
      expect((await api.get('/api/alerts/unknown')).status).toBe(404);
      expect((await api.get('/api/alerts/alert-3')).body.resource).toMatchObject({ detail: 'late' });
      expect(api.heard.acted).toEqual(['resendAlert']);
    });

    it('are counted by channel and state', async () => {
      await using api = await openAlerts();
      const counts = (await countAlerts(api.store)).map(({ channel, state, count }) => `${channel} ${state} ${count}`);
      expect(counts.toSorted()).toEqual(['email pending 1', 'slack failed 1', 'slack pending 1', 'slack sent 1']);
      expect(await alertTotals(api.store)).toEqual({ pending: 2, sent: 1, retracting: 0, retracted: 0, failed: 1 });
    });
  });
