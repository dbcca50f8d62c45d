// Bad input of every kind to what reads the mirror: an answer or a specified refusal, never a fault, and nothing echoed.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearer } from '../../harness/mirror/api-app.ts';
import { openTestBackfill, type TestBackfill } from '../../harness/mirror/test-backfill.ts';
import { readMirror, type MirrorReader } from '../../harness/mirror/mirror-reader.ts';
import type { Answer } from '../../harness/sandbox.ts';
import { storeEngines } from '../../harness/stores.ts';
import { oddIdentifiers, oddQueries } from '../../harness/sandbox/hostile-requests.ts';
import { propertyTimeoutMs, runs } from '../../harness/runs.ts';

const lists = {
  '/api/contacts':
    'sort email phone_number timezone name job_title company country state city count page_token exclude',
  '/api/contacts/custom_field_definitions': 'count page_token',
  '/api/scheduled_events':
    'organization user group invitee_email status min_start_time max_start_time sort count page_token',
  '/api/invitees': 'email status sort event event_type user no_show min_start_time max_start_time count page_token',
} as const;
const named = ['/api/contacts/', '/api/contacts/custom_field_definitions/', '/api/scheduled_events/', '/api/invitees/'];
const manyNames = Array.from({ length: 3_000 }, (_, index) => `q${index}%`).join(',');

describe.each(storeEngines)('what reads the mirror on $name', ({ available, fresh }) => {
  let world: TestBackfill;
  let mirror: MirrorReader;
  beforeAll(async () => {
    if (!available) return;
    world = await openTestBackfill(fresh, { contacts: 8, bookings: 4 });
    await world.run();
    mirror = readMirror(world.store);
  });
  afterAll(async () => {
    mirror?.[Symbol.dispose]();
    await world?.[Symbol.asyncDispose]();
  });

  /** A fault of its own throws; every answer is held against its schema. */
  const get = (path: string): Promise<Answer> => mirror.get(path, bearer);

  it.runIf(available).each(Object.entries(lists))(
    'refuses an odd query to %s, or finds what it says',
    async (path, names) => {
      await fc.assert(
        fc.asyncProperty(oddQueries(names.split(' ')), async (query) => {
          expect([200, 400]).toContain((await get(`${path}?${query}`)).status);
        }),
        runs(50),
      );
    },
    propertyTimeoutMs,
  );

  it.runIf(available)('finds nothing by an odd identifier', async () => {
    for (const path of named)
      for (const odd of [...oddIdentifiers, "'; drop table contacts; --", '%25', '_', 'a'.repeat(2_000), 'ž']) {
        const { status } = await get(path + odd.replaceAll(/[^\w%.-]/g, encodeURIComponent));
        expect([path, odd, [400, 404].includes(status)]).toEqual([path, odd, true]);
      }
  });

  it.runIf(available)('says what is wrong, and never with what', async () => {
    const secret = 'canary-of-a-caller';
    for (const [path, names] of Object.entries(lists))
      for (const name of [...names.split(' '), secret]) {
        const { status, body } = await get(`${path}?${name}=${secret}`);
        if (status === 400 && name !== secret) expect(JSON.stringify(body)).not.toContain(secret);
        expect([200, 400]).toContain(status);
      }
  });

  it.runIf(available)('takes as many names as an address holds', async () => {
    for (const name of ['name', 'country', 'email', 'phone_number'])
      expect(await get(`/api/contacts?${name}=${encodeURIComponent(manyNames)}`)).toMatchObject({
        status: 200,
        body: { collection: [] },
      });
  });
});
