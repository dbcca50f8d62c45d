// A logout ends a session for good: in every process of the mirror, after a restart, and for every copy of its cookie.
import { expect, it } from 'vitest';
import { sessionsOfMirror, sessionSeconds } from '#src/api/auth/session.ts';
import type { Store } from '#src/store/contract.ts';
import { logIn, openAdmin, type Admin } from '../../../harness/mirror/api-app.ts';
import { availableEngines, oneEngine } from '../../../harness/stores.ts';

const sameOrigin = { 'sec-fetch-site': 'same-origin' };
const start = Date.parse('2025-04-14T12:00:00Z');

/** As a process with this store. */
const processOf = (store: Store, clock = () => start): Admin =>
  openAdmin({ sessions: sessionsOfMirror({ store, clock }), clock });
const statusIn = async ({ ask }: Admin, cookie: string): Promise<number> =>
  (await ask('/api/status', { headers: { cookie } })).status;
const logOut = ({ ask }: Admin, cookie: string) =>
  ask('/logout', { method: 'POST', headers: { ...sameOrigin, cookie } });
const storedIn = async ({ db }: Store) =>
  (await db.selectFrom('key_values').select('key').where('key', 'like', 'ended session %').execute()).map(
    ({ key }) => key,
  );

for (const { name, fresh } of availableEngines)
  it(`a logout ends the session everywhere, and no other, on ${name} (N4)`, async () => {
    await using made = await fresh();
    const [one, other] = [processOf(made.store), processOf(await made.openAnother())];
    const [cookie, kept] = [await logIn(one), await logIn(one)];
    expect(kept).not.toBe(cookie);
    for (const process of [one, other])
      expect([await statusIn(process, cookie), await statusIn(process, kept)]).toEqual([200, 200]);
    const answer = await logOut(other, cookie);
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/']);
    expect(answer.headers.get('set-cookie')).toContain('Max-Age=0');
    for (const process of [one, other, processOf(await made.openAnother())]) {
      expect([await statusIn(process, cookie), await statusIn(process, kept)]).toEqual([401, 200]);
      // It is not a guess.
      expect(process.heard.refused).toEqual(['unauthenticated']);
    }
    // What is stored opens nothing.
    const [key = ''] = await storedIn(made.store);
    expect(cookie).toContain(key.slice('ended session '.length));
    expect(await statusIn(one, `slotstream_session_8081=${key.slice('ended session '.length)}`)).toBe(401);
  });

const [{ fresh: freshSqlite }] = oneEngine;

it('what is stored of a session goes once it would have ended by itself (N4)', async () => {
  await using made = await freshSqlite();
  let nowMs = start;
  const admin = processOf(made.store, () => nowMs);
  const cookie = await logIn(admin);
  await logOut(admin, cookie);
  nowMs += (sessionSeconds + 1) * 1000;
  expect(await storedIn(made.store)).toHaveLength(1);
  await logOut(admin, await logIn(admin));
  expect(await storedIn(made.store)).toEqual([expect.stringContaining(String(nowMs / 1000 + sessionSeconds))]);
  expect(await statusIn(admin, cookie)).toBe(401);
});

it('while the database does not answer, pages open, and a logout ends the session here and says what it could not do (N4)', async () => {
  await using made = await freshSqlite();
  const broken = { ...made.store, transaction: () => Promise.reject(new Error('the database is away')) } as Store;
  const admin = processOf(broken);
  const [cookie, kept] = [await logIn(admin), await logIn(admin)];
  const answer = await logOut(admin, cookie);
  expect([answer.status, answer.headers.get('set-cookie')]).toEqual([503, expect.stringContaining('Max-Age=0')]);
  expect(await answer.json()).toMatchObject({ message: expect.stringContaining('The database did not answer') });
  expect(admin.heard.reported).toEqual([new Error('the database is away')]);
  await made.store.close();
  expect([await statusIn(admin, cookie), await statusIn(admin, kept)]).toEqual([401, 200]);
});
