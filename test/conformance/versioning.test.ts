// Conformance: versions of the interface, and what the dated changes brought.
import { afterAll, beforeAll, expect } from 'vitest';
import { apiScopes } from '#schemas/api-scope.ts';
import { requestEventKinds } from '#schemas/events.ts';
import { operations, openTestSandbox, type TestSandbox } from '../harness/sandbox.ts';
import { answers } from './answers.ts';
import { rows } from './rows.ts';

let sandbox: TestSandbox;
beforeAll(async () => void (sandbox = await openTestSandbox({ rateLimits: false })));
afterAll(() => sandbox[Symbol.asyncDispose]());

/** Answered by an operation, not by the path being unknown: a caller without a token gets past none. */
async function isServed(method: string, path: string): Promise<boolean> {
  const { status } = await sandbox.call(method, path, { as: null });
  return status === 401;
}

const uuid = '00000000-0000-4000-8000-000000000000';

rows({
  'Versioning 1 | the interface is version 2 of the API': async () => {
    const { body } = await sandbox.control('GET', '/openapi.json');
    expect(body.info.version).toBe('2');
  },
  'Versioning 1 | version 1 is retired': async () => {
    for (const path of ['/v1/users/me', '/api/v1/users/me', '/v1/contacts', '/v1/hooks'])
      await answers(sandbox.call('GET', path), 404);
  },
  'Versioning 2 | paths carry no version segment': async () => {
    expect(operations.filter(({ path }) => /\/v\d/.test(path))).toEqual([]);
    await answers(sandbox.call('GET', '/users/me'), 200);
    await answers(sandbox.call('GET', '/v2/users/me'), 404);
  },
  'Versioning 3 | contacts endpoints were added': async () => {
    expect(await isServed('GET', '/contacts')).toBe(true);
    expect(await isServed('POST', '/contacts')).toBe(true);
    for (const method of ['GET', 'PATCH', 'DELETE']) expect(await isServed(method, `/contacts/${uuid}`)).toBe(true);
  },
  'Versioning 3 | contact events were added': () => {
    for (const what of ['created', 'updated', 'deleted'] as const)
      expect(requestEventKinds).toContain(`contact.${what}`);
  },
  'Versioning 3 | custom fields on contacts were added': async () => {
    const { body } = await sandbox.call('GET', '/contacts', { query: { count: 1 } });
    expect(body.collection[0].custom_fields.length).toBeGreaterThan(0);
    expect(await isServed('GET', '/contacts/custom_field_definitions')).toBe(true);
    expect(await isServed('GET', `/contacts/custom_field_definitions/${uuid}`)).toBe(true);
  },
  'Versioning 3 | meeting recap endpoints were added': async () => {
    expect(await isServed('GET', '/meeting_recaps')).toBe(true);
    for (const method of ['GET', 'PATCH', 'DELETE'])
      expect(await isServed(method, `/meeting_recaps/${uuid}`)).toBe(true);
    expect(await isServed('GET', `/meeting_recaps/${uuid}/transcript`)).toBe(true);
  },
  'Versioning 3 | meeting recap events and scopes were added': () => {
    for (const what of ['created', 'updated', 'deleted'] as const)
      expect(requestEventKinds).toContain(`meeting_recap.${what}`);
    expect(Object.keys(apiScopes)).toEqual(expect.arrayContaining(['meeting_recaps:read', 'meeting_recaps:write']));
  },
  'Versioning 3 | available-times range extended from 7 to 31 days without breaking existing use': async () => {
    const ask = (days: number) => {
      const fromMs = sandbox.service.clock.nowMs() + 3_600_000;
      const at = (ms: number): string => new Date(ms).toISOString();
      const query = {
        event_type: sandbox.handles.event_types.solo,
        start_time: at(fromMs),
        end_time: at(fromMs + days * 86_400_000),
      };
      return sandbox.call('GET', '/event_type_available_times', { query });
    };
    const [week, month, longer] = [await ask(7), await ask(31), await ask(32)];
    expect([week.status, month.status, longer.status]).toEqual([200, 200, 400]);
    const starts = (list: readonly { start_time: string }[]): string[] => list.map(({ start_time }) => start_time);
    expect(starts(month.body.collection)).toEqual(expect.arrayContaining(starts(week.body.collection)));
  },
  'Versioning 3 | scope-based authorization was introduced': () =>
    answers(sandbox.call('GET', '/contacts', { as: 'no_scopes' }), 403, {
      title: 'Insufficient scope',
      required_scopes: ['contacts:read'],
    }),
  'Versioning 3 | the scheduling interface (POST /invitees) was added': async () =>
    expect(await isServed('POST', '/invitees')).toBe(true),
  'Versioning 3 | event type create and update were added': async () => {
    expect(await isServed('POST', '/event_types')).toBe(true);
    expect(await isServed('PATCH', `/event_types/${uuid}`)).toBe(true);
  },
  'Versioning 3 | the groups interface was added': async () => {
    expect(await isServed('GET', '/groups')).toBe(true);
    expect(await isServed('GET', `/groups/${uuid}`)).toBe(true);
  },
  'Versioning 4 | no version has to be selected, and a header that names one changes nothing | A13': async () => {
    const plain = await sandbox.call('GET', '/users/me');
    for (const headers of [
      { 'api-version': '1' },
      { 'x-api-version': '3' },
      { accept: 'application/vnd.scheduling.v1+json' },
    ])
      await answers(sandbox.call('GET', '/users/me', { headers }), 200, plain.body);
  },
});
