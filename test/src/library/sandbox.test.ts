import { expect, it } from 'vitest';
import { startSandbox } from '#src/library/sandbox.ts';

it('two sandboxes of one seed run side by side: people book, cancel and miss meetings, and the clock moves', async () => {
  await using sandbox = await startSandbox({ seed: 42, as: 'public', contacts: 2, bookings: 0 });
  await using other = await startSandbox({ seed: 42, contacts: 2, bookings: 0 });
  expect([other.token, other.url === sandbox.url]).toEqual([sandbox.token, false]);

  const booked = await sandbox.book({ email: 'ada@example.test' });
  expect(booked).toMatchObject({ email: 'ada@example.test', status: 'active' });
  expect(await sandbox.cancel(booked.uri, { by: 'host', reason: 'Ill' })).toMatchObject({ status: 'canceled' });
  const second = await sandbox.book();
  const moved = await sandbox.reschedule(second.uri, new Date(sandbox.clock.now().getTime() + 5 * 86_400_000));
  expect(moved).toMatchObject({ old_invitee: second.uri });
  const before = sandbox.clock.now().getTime();
  await sandbox.clock.advance('6d');
  expect(sandbox.clock.now().getTime() - before).toBeGreaterThanOrEqual(6 * 86_400_000);
  await sandbox.noShow(moved.uri);
  await sandbox.undoNoShow(moved.uri);
  expect(await sandbox.deliveries()).toEqual([]);

  await sandbox.faults({ status: 503 });
  await expect(sandbox.book()).rejects.toThrow('POST /invitees: 503');
  await sandbox.faults();
  expect((await sandbox.book()).uri).toContain(sandbox.url);
  await sandbox.close();
});
