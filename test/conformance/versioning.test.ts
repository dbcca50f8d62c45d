// Conformance: versions of the interface, and what the dated changes brought.
import { expect } from 'vitest';
import { apiScopes } from '#schemas/api-scope.ts';
import { requestEventKinds } from '#schemas/events.ts';
import { operations } from '../harness/sandbox.ts';
import { answers, lacking, strange } from './answers.ts';
import { openForRows, rows } from './rows.ts';

const sandbox = openForRows({ rateLimits: false });

/** Answered by an operation, not by the path being unknown: a caller without a token gets past none. */
async function serves(requests: string): Promise<void> {
  for (const request of requests.replaceAll('<uuid>', strange).split(', ')) {
    const [method = '', path = ''] = request.split(' ');
    await answers(sandbox.call(method, path, { as: null }), 401);
  }
}

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
  'Versioning 3 | contacts endpoints were added': () =>
    serves('GET /contacts, POST /contacts, GET /contacts/<uuid>, PATCH /contacts/<uuid>, DELETE /contacts/<uuid>'),
  'Versioning 3 | contact events were added': () => {
    for (const what of ['created', 'updated', 'deleted'] as const)
      expect(requestEventKinds).toContain(`contact.${what}`);
  },
  'Versioning 3 | custom fields on contacts were added': async () => {
    const { body } = await sandbox.call('GET', '/contacts', { query: { count: 1 } });
    expect(body.collection[0].custom_fields.length).toBeGreaterThan(0);
    await serves('GET /contacts/custom_field_definitions, GET /contacts/custom_field_definitions/<uuid>');
  },
  'Versioning 3 | meeting recap endpoints were added': async () => {
    await serves('GET /meeting_recaps, GET /meeting_recaps/<uuid>, PATCH /meeting_recaps/<uuid>');
    await serves('DELETE /meeting_recaps/<uuid>, GET /meeting_recaps/<uuid>/transcript');
  },
  'Versioning 3 | meeting recap events and scopes were added': () => {
    for (const what of ['created', 'updated', 'deleted'] as const)
      expect(requestEventKinds).toContain(`meeting_recap.${what}`);
    expect(Object.keys(apiScopes)).toEqual(expect.arrayContaining(['meeting_recaps:read', 'meeting_recaps:write']));
  },
  'Versioning 3 | available-times range extended from 7 to 31 days without breaking existing use': async () => {
    const fromMs = sandbox.service.clock.nowMs() + 3_600_000;
    const at = (days: number) => new Date(fromMs + days * 86_400_000).toISOString();
    const ask = (days: number) => {
      const query = { event_type: sandbox.handles.event_types.solo, start_time: at(0), end_time: at(days) };
      return sandbox.call('GET', '/event_type_available_times', { query });
    };
    const { collection } = (await ask(7)).body;
    await answers(ask(31), 200, { collection });
    await answers(ask(32), 400);
  },
  'Versioning 3 | scope-based authorization was introduced': () =>
    answers(sandbox.call('GET', '/contacts', { as: 'no_scopes' }), 403, lacking('contacts:read')),
  'Versioning 3 | the scheduling interface (POST /invitees) was added': () => serves('POST /invitees'),
  'Versioning 3 | event type create and update were added': () =>
    serves('POST /event_types, PATCH /event_types/<uuid>'),
  'Versioning 3 | the groups interface was added': () => serves('GET /groups, GET /groups/<uuid>'),
  'Versioning 4 | no version has to be selected, and a header that names one changes nothing | A13': async () => {
    const plain = await sandbox.call('GET', '/users/me');
    const accept = 'application/vnd.scheduling.v1+json';
    for (const headers of [{ 'api-version': '1' }, { 'x-api-version': '3' }, { accept }])
      await answers(sandbox.call('GET', '/users/me', { headers }), 200, plain.body);
  },
});
