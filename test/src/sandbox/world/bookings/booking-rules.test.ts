// Whatever is sent to POST /invitees and its neighbours: a documented answer, never a server error, and a refusal changes nothing.
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openBooker } from '../../../../harness/sandbox/bookings.ts';
import type { Booker } from '../../../../harness/sandbox/bookings.ts';
import { openTestSandbox } from '../../../../harness/sandbox.ts';
import type { TestSandbox } from '../../../../harness/sandbox.ts';
import { propertyTimeoutMs, runs } from '../../../../harness/runs.ts';

let sandbox: TestSandbox;
let booker: Booker;
beforeAll(async () => {
  sandbox = await openTestSandbox({ rateLimits: false, bookings: 0 });
  booker = await openBooker(sandbox);
});
afterAll(() => sandbox[Symbol.asyncDispose]());

const odd = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom(
    '',
    ' ',
    '\u0000',
    '\ud800',
    '__proto__',
    '9999-12-31T23:59:59Z',
    '0001-01-01T00:00:00Z',
    '+1',
    1e308,
  ),
  fc.constantFrom<unknown>({ kind: 'physical' }, { kind: 'zoom_conference' }, [{}], [null], {
    email: {},
    timezone: [],
  }),
);

const bookingFields = 'event_type start_time invitee location questions_and_answers tracking event_guests extra'.split(
  ' ',
);

it('POST /invitees answers oddities with 201, 400, 403 or 404', { timeout: propertyTimeoutMs }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...bookingFields), odd, async (field, value) => {
      const before = sandbox.service.state.invitees.size;
      const { status } = await booker.book({ [field]: value });
      expect([201, 400, 403, 404]).toContain(status);
      expect(sandbox.service.state.invitees.size - before).toBe(status === 201 ? 1 : 0);
    }),
    runs(100),
  );
});

it(
  'POST and PATCH /event_types answer oddities with 2xx, 400, 403 or 404',
  { timeout: propertyTimeoutMs },
  async () => {
    const fields = [
      'name',
      'duration',
      'owner',
      'hosts',
      'kind',
      'pooling_type',
      'seats',
      'locations',
      'custom_questions',
    ];
    const body = { name: 'Odd', duration: 30, owner: sandbox.handles.users.owner };
    const { uri } = (await sandbox.call('POST', '/event_types', { body })).body.resource;
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...fields, 'color', 'locale', 'position', 'description_plain'),
        odd,
        async (field, value) => {
          const made = await sandbox.call('POST', '/event_types', { body: { ...body, [field]: value } });
          const changed = await sandbox.call('PATCH', uri, { body: { [field]: value } });
          expect([201, 400, 403, 404]).toContain(made.status);
          expect([200, 400]).toContain(changed.status);
        },
      ),
      runs(60),
    );
  },
);

it('lists and available times answer odd questions with 200, 400 or 404', { timeout: propertyTimeoutMs }, async () => {
  const { organization, event_types } = sandbox.handles;
  const names = ['count', 'page_token', 'sort', 'status', 'min_start_time', 'invitee_email', 'user', 'active', 'extra'];
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('0', '-1', '1e9', 'start_time:up', 'null'));
  const times = { event_type: event_types.solo, start_time: booker.freshTime(), end_time: booker.freshTime() };
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...names), text, async (name, value) => {
      for (const path of ['/scheduled_events', '/event_types']) {
        const { status } = await sandbox.call('GET', path, { query: { organization, [name]: value } });
        expect([200, 400, 404]).toContain(status);
      }
      for (const field of ['event_type', 'start_time', 'end_time', name]) {
        const query = { ...times, [field]: value };
        const { status } = await sandbox.call('GET', '/event_type_available_times', { query });
        expect([200, 400, 404]).toContain(status);
      }
    }),
    runs(100),
  );
});
