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
  async function open() {
    const api = await openDashboard(fresh);
    const get = async (path: string, accept = 'application/json') => {
      const answer = await api.behind.ask(path, { headers: { ...bearer, accept } });
      return [answer.status, await answer.text()] as const;
    };
    const deliver = () => ingestBodies(api.store, [booked]);
    return { get, deliver, last: () => lastSeq(api.store), [Symbol.asyncDispose]: api[Symbol.asyncDispose] };
  }

  it('contains the entry in lists and in one booking, and is taken by numbers, people and routing', async () => {
    for (const path of ['/api/bookings?', `/api/bookings/${uuid}?`]) {
      await using mirror = await open();
      await mirror.deliver();
      expect((await mirror.get(path))[1]).not.toContain(invitee);
      const answer = await mirror.get(`${path}at_least=${await mirror.last()}`);
      expect(answer).toEqual([200, expect.stringContaining(invitee)]);
      for (const other of ['/api/numbers/bookings', '/api/people', '/api/routing', '/api/routing/submissions'])
        expect((await mirror.get(`${other}?at_least=0`))[0]).toBe(200);
    }
  });

  it('waits for an entry that is about to be written, and is refused for one that the log does not have', async () => {
    await using mirror = await open();
    const answer = mirror.get(`/api/bookings?at_least=${(await mirror.last()) + 1}`);
    await mirror.deliver();
    expect((await answer)[1]).toContain(invitee);
    const refused = await mirror.get('/api/bookings?at_least=999');
    expect(refused).toEqual([503, expect.stringContaining('it has no entry 999 yet')]);
    expect((await mirror.get('/api/bookings?at_least=-1'))[0]).toBe(400);
  });

  it('holds for pages: one that is loaded for an entry shows it', async () => {
    await using mirror = await open();
    await mirror.deliver();
    const [, text] = await mirror.get('/bookings', 'text/html');
    expect(text).toContain(`data-seq="${await mirror.last()}"`);
    expect(text).toContain(uuid);
  });
});
