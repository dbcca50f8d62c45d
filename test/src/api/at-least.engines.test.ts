// A reader that names an entry of the log gets everything up to it, whether or not a process keeps the bookings up to date. On both
// stores: booking-follower.engines.test.ts.
import { describe, expect, it } from 'vitest';
import { instantOf } from '#src/base/time.ts';
import { lastSeq } from '#src/store/log/read.ts';
import { bearer } from '../../harness/mirror/api-app.ts';
import { hostedMeeting } from '../../harness/data/attended-meetings.ts';
import { openDashboard } from '../../harness/mirror/dashboard.ts';
import { ingestBodies, oneEngine } from '../../harness/stores.ts';

const { booked, invitee } = hostedMeeting({ name: 'Ada', hosts: ['Grace'], end: instantOf(Date.now() + 3_600_000) });
const uuid = invitee.slice(invitee.lastIndexOf('/') + 1);

describe.each(oneEngine)('at_least on $name', ({ fresh }) => {
  const open = async () => {
    const api = await openDashboard(fresh);
    const get = async (path: string, accept = 'application/json') => {
      const answer = await api.behind.ask(path, { headers: { ...bearer, accept } });
      return { status: answer.status, text: await answer.text() };
    };
    return { api, get, deliver: () => ingestBodies(api.store, [booked]) };
  };

  it('contains the entry in lists, in one booking, in numbers, among people and in routing', async () => {
    for (const path of ['/api/bookings?', `/api/bookings/${uuid}?`]) {
      const { api, get, deliver } = await open();
      await using _api = api;
      await deliver();
      expect((await get(path)).text).not.toContain(invitee);
      const { status, text } = await get(`${path}at_least=${await lastSeq(api.store)}`);
      expect([status, text]).toEqual([200, expect.stringContaining(invitee)]);
    }
    const { api, get } = await open();
    await using _api = api;
    for (const path of ['/api/numbers/bookings', '/api/people', '/api/routing', '/api/routing/submissions'])
      expect((await get(`${path}?at_least=0`)).status).toBe(200);
  });

  it('waits for an entry that is about to be written', async () => {
    const { api, get, deliver } = await open();
    await using _api = api;
    const next = (await lastSeq(api.store)) + 1;
    const answer = get(`/api/bookings?at_least=${next}`);
    await deliver();
    expect((await answer).text).toContain(invitee);
  });

  it('is refused for an entry that the log does not have', async () => {
    const { api, get, deliver } = await open();
    await using _api = api;
    await deliver();
    const { status, text } = await get('/api/bookings?at_least=999');
    expect([status, text]).toEqual([503, expect.stringContaining('it has no entry 999 yet')]);
    expect((await get('/api/bookings?at_least=-1')).status).toBe(400);
  });

  it('holds for pages: one that is loaded for an entry shows it', async () => {
    const { api, get, deliver } = await open();
    await using _api = api;
    await deliver();
    const { text } = await get('/bookings', 'text/html');
    expect(text).toContain(`data-seq="${await lastSeq(api.store)}"`);
    expect(text).toContain(uuid);
  });
});
