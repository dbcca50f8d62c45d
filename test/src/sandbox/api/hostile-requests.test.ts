// Bad input of every kind to every operation, every control and the authorization server: a specified refusal, never a fault of the
// sandbox, and nothing changed.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commonError } from '#schemas/errors.ts';
import type { ServiceOperation } from '#src/sandbox/api/service-operation.ts';
import { dayMs } from '#src/sandbox/clock.ts';
import type { Control } from '#src/sandbox/controls/control.ts';
import { controls } from '#src/sandbox/controls/control-routes.ts';
import { operations } from '../../../harness/sandbox.ts';
import { brokenBodies, oddIdentifiers, oddQueries } from '../../../harness/data/hostile.ts';
import { damaged } from '../../../harness/sandbox/hostile-requests.ts';
import { jsonOf, openTarget, type Extra, type Sent, type Target } from '../../../harness/sandbox/hostile-target.ts';
import { propertyTimeoutMs, runs } from '../../../harness/runs.ts';

const nameOf = ({ method, path }: ServiceOperation | Control): string => `${method} ${path}`;
const refusals = [400, 403, 404, 409];
const reading = operations.filter(({ method }) => method === 'GET');
const writing = operations.filter(({ body }) => body !== undefined);
const naming = operations.filter(({ path }) => path.includes('{'));

const call = (target: Target, operation: ServiceOperation, path: string, extra: Extra = {}): Promise<Sent> =>
  target.send(operation.method, path, { token: target.owner, ...extra });
const asked = (target: Target, operation: ServiceOperation, more: string): string =>
  `${target.pathOf(operation)}?${target.usualQuery(operation)}&${more}`;
const textOf = (target: Target, { body, ...operation }: ServiceOperation): string | undefined =>
  body && JSON.stringify(target.usualBody(operation, target.service));

/** Whether the operation's own schema, or a parameter given twice, is against this query. */
function isAgainst({ query }: ServiceOperation, text: string): boolean {
  const parameters = [...new URLSearchParams(text)];
  const names = new Set(parameters.map(([name]) => name));
  return names.size < parameters.length || query?.safeParse(Object.fromEntries(parameters)).success === false;
}

/** Shows that nothing changes meanwhile. */
async function changesNothing(target: Target, act: () => Promise<unknown>): Promise<void> {
  const before = target.truth();
  await act();
  expect(target.truth()).toBe(before);
}

/** Those that take longest to read are tried on one only: all have the same reader. */
const bodiesFor = (isFirst: boolean) => brokenBodies.filter(([, { length }]) => isFirst || length < 100_000);

it('the usual request to each operation is answered: it is what the others spoil', async () => {
  await using target = await openTarget();
  // Reading last: an event type that was changed asks other questions.
  for (const operation of [...writing, ...reading]) {
    const body = textOf(target, operation);
    const path = body === undefined ? asked(target, operation, '').slice(0, -1) : target.pathOf(operation);
    const answer = await call(target, operation, path, { body });
    expect(target.wrongWith(`${nameOf(operation)} ${body}`, answer, [200, 201])).toEqual([]);
  }
});

describe('a bad call of an operation', () => {
  it(
    'in its query is refused or finds what it says, and changes nothing',
    async () => {
      await using target = await openTarget();
      await changesNothing(target, async () => {
        for (const operation of reading)
          await fc.assert(
            fc.asyncProperty(oddQueries(target.queryNames(operation)), async (query) => {
              const url = asked(target, operation, query);
              const isWrong = isAgainst(operation, url.slice(url.indexOf('?') + 1)) && target.knows(operation);
              const answer = await call(target, operation, url);
              expect(target.wrongWith(url, answer, isWrong ? [400] : [200, 400, 403, 404])).toEqual([]);
            }),
            runs(operation.answers === 'collection' ? 8 : 3),
          );
      });
    },
    propertyTimeoutMs,
  );

  it(
    'in its body is refused, wherever it is wrong, and changes nothing',
    async () => {
      await using target = await openTarget();
      for (const operation of writing) {
        const path = target.pathOf(operation);
        let before = target.truth();
        await fc.assert(
          fc.asyncProperty(damaged(target.usualBody(operation, target.service)), async (body) => {
            const text = JSON.stringify(body);
            const isWrong = operation.body?.safeParse(JSON.parse(text)).success === false && target.knows(operation);
            const answer = await call(target, operation, path, { body: text });
            const allowed = isWrong ? [400] : [200, 201, ...refusals];
            expect(target.wrongWith(`${nameOf(operation)} ${text}`, answer, allowed)).toEqual([]);
            const after = target.truth();
            if (answer.status >= 400) expect([text, after]).toEqual([text, before]);
            before = after;
          }),
          runs(15),
        );
      }
    },
    propertyTimeoutMs,
  );

  it('with a body that is no JSON object is refused, and changes nothing', async () => {
    await using target = await openTarget();
    await changesNothing(target, async () => {
      for (const [index, operation] of writing.entries())
        for (const [reason, body, type] of bodiesFor(index === 0)) {
          const answer = await call(target, operation, target.pathOf(operation), { body, type });
          expect(target.wrongWith(`${nameOf(operation)} with ${reason}`, answer, [400, 404])).toEqual([]);
        }
    });
  });

  it('cannot hide in a custom field, however deep, and pollutes nothing', async () => {
    await using target = await openTarget();
    const emails = '[{"email":"deep@example.test","is_primary":true}]';
    await changesNothing(target, async () => {
      for (const { uri } of target.sandbox.service.state.definitions.values())
        for (const depth of [3, 10_000]) {
          const value = `${'['.repeat(depth)}{"__proto__":{"polluted":1}}${']'.repeat(depth)}`;
          const body = `{"emails":${emails},"custom_fields":[{"uuid":"${uri.split('/').at(-1)}","value":${value}}]}`;
          const answer = await target.send('POST', '/contacts', { token: target.owner, body });
          expect(target.wrongWith(`a value ${depth} deep`, answer, [400])).toEqual([]);
        }
    });
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it(
    'with an odd identifier, or that of another kind of record, is not found, and changes nothing',
    async () => {
      await using target = await openTarget();
      const uris = target.urisOfWorld();
      const named = fc.constantFrom(...naming).chain((operation) => {
        const foreign = uris.filter((uri) => !uri.includes(`${operation.path.split('/{')[0]}/`));
        const identifier = fc.constantFrom(...oddIdentifiers, ...foreign.map((uri) => uri.split('/').at(-1) ?? ''));
        return fc.tuple(fc.constant(operation), identifier);
      });
      await changesNothing(target, () =>
        fc.assert(
          fc.asyncProperty(named, async ([operation, identifier]) => {
            const path = operation.path.replaceAll(/\{\w+\}/g, () => identifier);
            const url = [path, target.usualQuery(operation)].join('?');
            const answer = await call(target, operation, url, { body: textOf(target, operation) });
            expect(target.wrongWith(`${operation.method} ${path}`, answer, [400, 403, 404])).toEqual([]);
          }),
          runs(200),
        ),
      );
    },
    propertyTimeoutMs,
  );

  it(
    'with a forged token is answered 401, and changes nothing',
    async () => {
      await using target = await openTarget();
      const forged = fc.oneof(
        fc.constantFrom('', 'Bearer', 'Bearer ', 'bearer null', 'Basic b3duZXI6b3duZXI=', 'Bearer a b'),
        fc.constant(`Bearer ${'a'.repeat(9000)}`),
        fc.string({ unit: 'grapheme-ascii', maxLength: 60 }).map((text) => `Bearer ${text}`),
        fc.nat(30).map((cut) => target.owner.slice(0, -1 - cut)),
        fc.constantFrom(' ', 'x', ',', ' Bearer').map((more) => `${target.owner.trimEnd()}${more}x`),
      );
      await changesNothing(target, () =>
        fc.assert(
          fc.asyncProperty(fc.constantFrom(...operations), forged, async (operation, token) => {
            const body = textOf(target, operation);
            const answer = await call(target, operation, target.pathOf(operation), { token, body });
            expect(target.wrongWith(`${nameOf(operation)} with ${token}`, answer, [401])).toEqual([]);
            expect(jsonOf(answer.text)).toMatchObject(commonError);
          }),
          runs(150),
        ),
      );
    },
    propertyTimeoutMs,
  );

  it('with a page token that is forged, foreign, cut or too old is refused', async () => {
    await using target = await openTarget();
    const page = (operation: ServiceOperation, more: string) => call(target, operation, asked(target, operation, more));
    const tokenOf = async (operation: ServiceOperation): Promise<string | null> =>
      (jsonOf((await page(operation, 'count=1')).text) as { pagination: { next_page_token: string | null } }).pagination
        .next_page_token;
    const lists = reading.filter(
      ({ answers, path }) => answers === 'collection' && path !== '/event_type_available_times',
    );
    for (const operation of lists) {
      const own = await tokenOf(operation);
      const elsewhere = operation.id === 'listContacts' ? 'listEventTypes' : 'listContacts';
      const foreign = await tokenOf(operations.find(({ id }) => id === elsewhere) ?? operation);
      const bad = ['x', 'null', '%00', 'e30', 'W10', 'a'.repeat(5000), foreign];
      if (own !== null)
        bad.push(own.slice(0, -3), `${own}A`, own.toUpperCase(), `${own.slice(0, 30)}B${own.slice(31)}`);
      for (const token of bad) {
        const answer = await page(operation, `page_token=${token}`);
        expect(target.wrongWith(`${nameOf(operation)} with ${token}`, answer, [400])).toEqual([]);
        expect(jsonOf(answer.text)).toMatchObject({ details: [{ parameter: 'page_token' }] });
      }
      if (own === null) continue;
      expect((await page(operation, `page_token=${own}`)).status).toBe(200);
      target.skip(dayMs + 1);
      expect((await page(operation, `page_token=${own}`)).status).toBe(400);
    }
  });
});

const taking = controls.filter(({ body }) => body !== undefined);
/** Fields that name what a control acts on. */
const references = ['uri', 'invitee', 'user', 'organization', 'event', 'routing_form'];

describe('a bad call of a control', () => {
  const pull = (target: Target, { method, path }: Control, text: string): Promise<Sent> =>
    method === 'GET'
      ? target.send('GET', `/_sandbox${path}?${text}`)
      : target.send(method, `/_sandbox${path}`, { body: text });

  it(
    'is refused, and changes nothing',
    async () => {
      await using target = await openTarget();
      const inForce = async () => (await target.send('GET', '/_sandbox/faults')).text;
      const faults = await inForce();
      // A control without a body does what it says by itself.
      const isTaken = (why: string) =>
        ['nothing', 'a byte order mark alone', 'of another type', 'of no type'].includes(why);
      await changesNothing(target, async () => {
        for (const [index, control] of taking.filter(({ method }) => method !== 'GET').entries()) {
          for (const [reason, body, type] of bodiesFor(index === 0).filter(([why]) => !isTaken(why))) {
            const answer = await target.send(control.method, `/_sandbox${control.path}`, { body, type });
            expect(target.wrongWith(`${nameOf(control)} with ${reason}`, answer, [400])).toEqual([]);
          }
          await fc.assert(
            fc.asyncProperty(damaged(target.usualBody(control, target.controls)), async (body) => {
              const text = JSON.stringify(body);
              fc.pre(control.body?.safeParse(JSON.parse(text)).success === false);
              const answer = await pull(target, control, text);
              expect(target.wrongWith(`${nameOf(control)} ${text}`, answer, [400])).toEqual([]);
            }),
            runs(6),
          );
        }
        for (const control of taking.filter(({ method }) => method === 'GET'))
          for (const query of ['nonsense=1', '__proto__x=1', '%00=1', 'constructor=1'])
            expect(target.wrongWith(`${nameOf(control)}?${query}`, await pull(target, control, query), [400])).toEqual(
              [],
            );
      });
      expect(await inForce()).toBe(faults);
    },
    propertyTimeoutMs,
  );

  it('about what does not exist is refused, and changes nothing', async () => {
    await using target = await openTarget();
    const nowhere = `${target.sandbox.handles.base_url}/nothing/1`;
    const fieldsOf = (body: object) => Object.keys((body as { readonly shape?: object }).shape ?? {});
    const acting = taking.filter(
      ({ method, body }) =>
        method !== 'GET' && body?.safeParse({}).success === false && /uri|invitee|user/.test(fieldsOf(body).join()),
    );
    expect(acting.length).toBeGreaterThan(5);
    await changesNothing(target, async () => {
      for (const control of acting) {
        const usual = Object.entries(target.usualBody(control, target.controls) as object);
        const body = usual.map(([key, value]) => [key, references.includes(key) ? nowhere : (value as unknown)]);
        const answer = await pull(target, control, JSON.stringify(Object.fromEntries(body)));
        expect(target.wrongWith(nameOf(control), answer, [400, 404])).toEqual([]);
      }
    });
  });
});

it(
  'a bad call of the authorization server is refused, by whichever of its endpoints, and changes nothing',
  async () => {
    await using target = await openTarget();
    const requested = ['response_type', 'client_id', 'redirect_uri', 'code_challenge', 'code_challenge_method'];
    const queries = oddQueries([...requested, 'scope', 'state']);
    const grants = ['grant_type', 'code', 'code_verifier', 'refresh_token', 'client_id', 'redirect_uri', 'token'];
    const form = 'application/x-www-form-urlencoded';
    await changesNothing(target, async () => {
      await fc.assert(
        fc.asyncProperty(queries, oddQueries(grants), async (query, body) => {
          const answers = [
            await target.send('GET', `/oauth/authorize?${query}`),
            await target.send('POST', '/oauth/authorize', { body: query, type: form }),
            await target.send('POST', '/oauth/token', { body, type: form }),
            await target.send('POST', '/oauth/revoke', { body, type: form }),
          ];
          expect(answers.slice(0, 3).filter(({ status }) => status < 400 || status >= 500)).toEqual([]);
          for (const known of ['client_id=slotstream', 'client_id=slotstream&redirect_uri=http://127.0.0.1/'])
            answers.push(await target.send('GET', `/oauth/authorize?${known}&${query}`));
          expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
        }),
        runs(20),
      );
      for (const path of ['/oauth/authorize', '/oauth/token', '/oauth/revoke'])
        for (const [, body, type] of bodiesFor(path === '/oauth/token'))
          for (const sentType of [type, form])
            expect((await target.send('POST', path, { body, type: sentType })).status).toBeLessThan(500);
    });
    expect(target.faults()).toEqual([]);
  },
  propertyTimeoutMs,
);
