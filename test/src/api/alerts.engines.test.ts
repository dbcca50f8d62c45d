// Alerts on the admin listener, on every store: counted, and sent again when they failed. How they are listed is in the golden files of the API.
import { describe, expect, it } from 'vitest';
import { markFailed, markSent } from '#src/store/alerts/send-results.ts';
import { alertTotals, countAlerts } from '#src/store/alerts/alert-queries.ts';
import { insertAlerts, readAlerts, type NewAlert } from '#src/store/alerts/alert-rows.ts';
import type { Store } from '#src/store/contract.ts';
import { openReadApi } from '../../harness/mirror/read-api.ts';
import { oneEngine, storeEngines } from '../../harness/stores.ts';

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

    it('are counted by channel and state', async () => {
      await using api = await openAlerts();
      const counts = (await countAlerts(api.store)).map(({ channel, state, count }) => `${channel} ${state} ${count}`);
      expect(counts.toSorted()).toEqual(['email pending 1', 'slack failed 1', 'slack pending 1', 'slack sent 1']);
      expect(await alertTotals(api.store)).toEqual({ pending: 2, sent: 1, retracting: 0, retracted: 0, failed: 1 });
    });

    // The operation does not depend on the engine.
    if (!oneEngine.some(({ name }) => name === engine.name)) return;

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
  });
