// The pages of bookings that follow the log: each names the newest entry and shows what that changed.
import { describe, expect, it } from 'vitest';
import { instantOf } from '#src/base/time.ts';
import { lastSeq } from '#src/store/log/read.ts';
import { hostedMeeting } from '../../../../../harness/data/attended-meetings.ts';
import { openDashboard } from '../../../../../harness/mirror/dashboard.ts';
import { ingestBodies, oneEngine } from '../../../../../harness/stores.ts';

const { booked, invitee } = hostedMeeting({ name: 'Ada', hosts: ['Grace'], end: instantOf(Date.now() + 3_600_000) });
const uuid = invitee.slice(invitee.lastIndexOf('/') + 1);

describe.each(oneEngine)('the pages of bookings on $name', ({ fresh }) => {
  it('show the entry that they name as the newest, where nothing is filtered', async () => {
    await using dashboard = await openDashboard(fresh);
    const { store, page } = dashboard;
    expect((await page('/bookings')).html).toContain('data-live data-seq="0"');
    await ingestBodies(store, [booked]);
    const live = `data-live data-seq="${await lastSeq(store)}"`;
    for (const path of ['/bookings', `/bookings/${uuid}`]) {
      const { html } = await page(path);
      expect(html).toContain(live);
      expect(html).toContain(uuid);
    }
    expect((await page('/bookings?outcome=upcoming')).html).not.toContain('data-live data-seq');
  });
});
