// Conformance: how the service says no.
import { afterEach, expect } from 'vitest';
import { operations, type Answer, type CallOptions } from '../harness/sandbox.ts';
import { answers, documentedBody, hookOf, invalid, parametersIn, strange, tryOperation } from './answers.ts';
import { openForRows, rows } from './rows.ts';

const sandbox = openForRows({ rateLimits: false });
afterEach(() => sandbox.control('POST', '/faults', {}));

let made = 0;
const invite = (more: CallOptions = {}, uuid = sandbox.handles.organization.split('/').at(-1)): Promise<Answer> =>
  sandbox.call('POST', `/organizations/${uuid}/invitations`, {
    body: { email: `err-${(made += 1)}@example.test` },
    ...more,
  });
const contacts = (more: CallOptions = {}): Promise<Answer> => sandbox.call('GET', '/contacts', more);
const subscribe = (body: object = hookOf(sandbox), more: CallOptions = {}): Promise<Answer> =>
  sandbox.call('POST', '/webhook_subscriptions', { body, ...more });
const inStrangeOrganization = (): Promise<Answer> =>
  subscribe(hookOf(sandbox, { organization: `${sandbox.handles.base_url}/organizations/${strange}` }));
async function subscribeTwice(): Promise<Answer> {
  const body = hookOf(sandbox);
  await answers(subscribe(body), 201);
  return subscribe(body);
}
const booking = () => ({
  event_type: sandbox.handles.event_types.solo,
  start_time: '2030-01-01T09:00:00Z',
  invitee: { email: 'err@example.test', name: 'Err', timezone: 'UTC' },
});
const book = (body: object = booking(), more: CallOptions = {}): Promise<Answer> =>
  sandbox.call('POST', '/invitees', { body, ...more });

const failWith = (status: number): Promise<Answer> => sandbox.control('POST', '/faults', { status });
const failing = (call: () => Promise<Answer>) => async () => {
  await failWith(1);
  return call();
};
/** Shows that each of these calls is answered with its status. */
async function answerWith(calls: Readonly<Record<number, () => Promise<Answer>>>): Promise<void> {
  for (const [status, call] of Object.entries(calls)) await answers(call(), Number(status));
}

rows({
  'Errors, body | `title` (string), `message` (string), `details` (list of ErrorResponseDetailsItem, optional)':
    async () => {
      const words = { title: expect.any(String), message: expect.any(String) };
      await answers(contacts({ query: { count: 0 } }), 400, { ...words, details: expect.any(Array) });
      await answers(contacts({ as: null }), 401, { ...words, details: expect.any(Array) });
      await answers(contacts({ as: 'no_scopes' }), 403, words);
    },
  'ErrorResponseDetailsItem | `message` (string, R), `parameter` (string, O), `code` (string, O)': async () => {
    const refused = await book({ ...booking(), invitee: { email: 'x', timezone: 1 }, surprise: true });
    expect(refused.body.details.length).toBeGreaterThan(1);
    for (const { message, parameter = '', code = '', ...more } of refused.body.details)
      expect([[message, parameter, code].map((text) => typeof text), more]).toEqual([
        ['string', 'string', 'string'],
        {},
      ]);
    expect(parametersIn(refused)).toContain('invitee.email');
  },
  'Errors, POST /organizations/<uuid>/invitations | statuses documented: 400, 401, 403, 404, 500': () =>
    answerWith({
      400: () => invite({ body: {} }),
      401: () => invite({ as: null }),
      403: () => invite({ as: 'member' }),
      404: () => invite({}, strange),
      500: failing(invite),
    }),
  'Errors, GET /contacts | statuses documented: 400, 401, 403, 500': () =>
    answerWith({
      400: () => contacts({ query: { sort: 'name:asc' } }),
      401: () => contacts({ as: null }),
      403: () => contacts({ as: 'free_plan' }),
      500: failing(contacts),
    }),
  'Errors, GET /contacts | 404 is documented, but nothing in the request names a resource: the sandbox answers it only as an injected fault | exception':
    async () => {
      await answers(contacts({ query: { name: 'no such contact' } }), 200);
      await sandbox.control('POST', '/faults', { answers: [{ path: '/contacts', status: 404 }] });
      await answers(contacts(), 404, documentedBody);
    },
  'Errors, 500 / 503 | the sandbox fails only when a fault is injected | exception': async () => {
    await failWith(503);
    await answers(contacts(), 503, documentedBody);
    await sandbox.control('POST', '/faults', {});
    await answers(contacts(), 200);
  },
  'Errors, POST /webhook_subscriptions | statuses documented: 400, 401, 403, 404, 409, 503': () =>
    answerWith({
      400: () => subscribe({}),
      401: () => subscribe({}, { as: null }),
      403: () => subscribe(hookOf(sandbox), { as: 'member' }),
      404: inStrangeOrganization,
      409: subscribeTwice,
      503: failing(subscribe),
    }),
  'Errors, POST /invitees | statuses documented: 400, 401, 403, 404, 500': () =>
    answerWith({
      400: () => book({}),
      401: () => book(booking(), { as: null }),
      403: () => book(booking(), { as: 'free_plan' }),
      404: () => book({ ...booking(), event_type: `${sandbox.handles.base_url}/event_types/${strange}` }),
      500: failing(book),
    }),
  'Errors, 400 | request not valid: the documented title is `Internal Server Error`': async () => {
    for (const refused of [contacts({ query: { count: 0 } }), subscribe({}), book({})])
      await answers(refused, 400, { title: documentedBody.title });
  },
  'Errors, 400 | `details` names every parameter that is wrong, and never repeats what was sent | A16': async () => {
    const secret = 'not-an-address-but-a-secret';
    for (const [call, parameters] of [
      [invite({ body: { email: secret } }), ['email']],
      [contacts({ query: { count: secret, sort: secret } }), ['count', 'sort.0']],
    ] as const) {
      const refused = await call;
      expect([refused.status, parametersIn(refused).toSorted()]).toEqual([400, parameters]);
      expect(JSON.stringify(refused.body)).not.toContain(secret);
    }
  },
  'Errors, 400 | a parameter that is unknown or given twice, and a body that is unknown in part, is refused | A16':
    async () => {
      await answers(contacts({ query: { favourite: 'yes' } }), 400);
      await answers(sandbox.call('GET', '/contacts?count=1&count=2'), 400, invalid('count'));
      await answers(book({ ...booking(), favourite: 'yes' }), 400);
    },
  'Errors, 401 | caller cannot be authenticated: no token, whichever endpoint': async () => {
    for (const operation of operations)
      await answers(tryOperation(sandbox, operation, { as: null }), 401, documentedBody);
  },
  'Errors, 401 | caller cannot be authenticated: a garbled or unknown token': async () => {
    const { owner } = sandbox.handles.tokens;
    const garbled = [`${owner}x`, owner.slice(1), `${owner} ${owner}`, 'unknown'].map((token) => `Bearer ${token}`);
    for (const authorization of [owner, `Basic ${owner}`, 'Bearer', ...garbled])
      await answers(contacts({ as: null, headers: { authorization } }), 401, documentedBody);
  },
  'Errors, 403 | insufficient scope is reported before anything about the request': async () => {
    for (const operation of operations) {
      const nonsense = operation.body === undefined ? {} : { body: 'nonsense' };
      const refused = { title: 'Insufficient scope', required_scopes: operation.scopes };
      await answers(tryOperation(sandbox, operation, { as: 'no_scopes', ...nonsense }), 403, refused);
    }
  },
  'Errors, 404 | requested resource not found: same title and message as 401, whichever endpoint': async () => {
    const named = operations.filter(({ path, method }) => path.endsWith('}') && method === 'GET');
    expect(named.length).toBeGreaterThan(10);
    for (const operation of named) await answers(tryOperation(sandbox, operation, {}), 404, documentedBody);
  },
  'Errors, 404 | a path that is not there is not found': async () => {
    for (const path of ['/nothing', '/contacts/a/b/c', '/users', '/Contacts', '/contacts/'])
      await answers(sandbox.call('GET', path), 404, documentedBody);
  },
  'Errors, 500 | server error: same title and message as 401': () => answers(failing(contacts)(), 500, documentedBody),
  'Errors | all of these include optional `details`': async () => {
    const calls = [
      contacts({ query: { count: 0 } }),
      contacts({ as: null }),
      inStrangeOrganization(),
      subscribeTwice(),
    ];
    for (const { body } of await Promise.all(calls)) expect(body.details.length).toBeGreaterThan(0);
  },
  'Errors, 400 | a detail says what would have been right | A16': async () => {
    const { organization, event_types } = sandbox.handles;
    const said = async (answer: Promise<Answer>): Promise<Record<string, string>> => {
      const { details } = (await answer).body as { details: { parameter: string; message: string }[] };
      return Object.fromEntries(details.map(({ parameter, message }) => [parameter, message]));
    };
    const sorts = 'created_at:asc or created_at:desc or updated_at:asc or updated_at:desc';
    for (const [path, query, expected] of [
      ['/contacts', { count: '1000' }, { count: 'expected a whole number from 1 to 100' }],
      ['/contacts', { sort: 'name:up' }, { 'sort.0': `expected ${sorts}` }],
      ['/scheduled_events', { organization, sort: 'name' }, { sort: 'expected start_time:asc or start_time:desc' }],
      ['/webhook_subscriptions', {}, { organization: 'required', scope: 'required' }],
    ] as const)
      expect(await said(sandbox.call('GET', path, { query }))).toEqual(expected);
    expect(await said(book({}))).toEqual({ event_type: 'required', start_time: 'required', invitee: 'required' });
    const invitee = { email: 'ada@example.test', timezone: 'UTC', name: 'Ada', text_reminder_number: '1' };
    const wrong = { event_type: event_types.solo, start_time: '2099-01-01T10:00:00Z', invitee };
    expect(await said(book({ ...wrong, location: { kind: 'pigeon' } }))).toMatchObject({
      'location.kind': expect.stringMatching(/^expected one of physical, .*custom$/),
      'invitee.text_reminder_number': expect.stringContaining('international'),
    });
  },
  'Errors, 429 | title `Too Many Requests`, message `The rate limit was exceeded.` | A16': async () => {
    await sandbox.control('POST', '/faults', { rate_limit: 1 });
    await answers(contacts(), 429, { title: 'Too Many Requests', message: 'The rate limit was exceeded.' });
  },
});
