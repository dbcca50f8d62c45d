// Bad input of every kind to every operation, every control and the authorization server: a specified refusal, never a fault of the
// sandbox, and nothing changed.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ServiceOperation } from '#src/sandbox/api/service-operation.ts';
import { controls } from '#src/sandbox/controls/control-routes.ts';
import { operations } from '../../../harness/sandbox.ts';
import { brokenBodies, oddIdentifiers, oddQueries } from '../../../harness/data/hostile.ts';
import { damaged } from '../../../harness/sandbox/hostile-requests.ts';
import { openTarget, type Target } from '../../../harness/sandbox/hostile-target.ts';
import { propertyTimeoutMs, runs } from '../../../harness/runs.ts';

const reading = operations.filter(({ method }) => method === 'GET');
const writing = operations.filter(({ body }) => body !== undefined);
const naming = operations.filter(({ path }) => path.includes('{'));

const asked = (target: Target, operation: ServiceOperation, more = ''): string =>
  `${target.pathOf(operation)}?${target.usualQuery(operation)}${more}`;
const textOf = (target: Target, operation: ServiceOperation): string | undefined =>
  operation.body && JSON.stringify(target.usualBody(operation));

/** Whether the operation's own schema, or a parameter given twice, is against this query. */
function isAgainst({ query }: ServiceOperation, url: string): boolean {
  const parameters = [...new URLSearchParams(url.slice(url.indexOf('?') + 1))];
  const names = new Set(parameters.map(([name]) => name));
  return names.size < parameters.length || query?.safeParse(Object.fromEntries(parameters)).success === false;
}

/** Those that take longest to read are tried on one only: all have the same reader. */
const bodiesFor = (isFirst: boolean) => brokenBodies.filter(([, { length }]) => isFirst || length < 100_000);

it('the usual request to each operation is answered: it is what the others spoil', async () => {
  await using target = await openTarget();
  // Reading last: an event type that was changed asks other questions.
  for (const operation of [...writing, ...reading])
    await target.answers([operation.method, asked(target, operation), { body: textOf(target, operation) }], [200, 201]);
});

describe('a bad call of an operation', () => {
  it(
    'in its query is refused or finds what it says, and changes nothing',
    async () => {
      await using target = await openTarget();
      await target.staysAsItIs(async () => {
        for (const operation of reading)
          await fc.assert(
            fc.asyncProperty(oddQueries(target.queryNames(operation)), async (query) => {
              const url = asked(target, operation, `&${query}`);
              const isWrong = isAgainst(operation, url) && target.knows(operation);
              await target.answers(['GET', url], isWrong ? [400] : [200, 400, 403, 404]);
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
          fc.asyncProperty(damaged(target.usualBody(operation)), async (damage) => {
            const body = JSON.stringify(damage);
            const isWrong = operation.body?.safeParse(JSON.parse(body)).success === false && target.knows(operation);
            const allowed = isWrong ? [400] : [200, 201, 400, 403, 404, 409];
            const status = await target.answers([operation.method, path, { body }], allowed);
            const after = target.truth();
            if (status >= 400) expect([body, after]).toEqual([body, before]);
            before = after;
          }),
          runs(15),
        );
      }
      expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    },
    propertyTimeoutMs,
  );

  it('with a body that is no JSON object is refused, and changes nothing', async () => {
    await using target = await openTarget();
    await target.staysAsItIs(async () => {
      for (const [index, operation] of writing.entries())
        for (const [, body, type] of bodiesFor(index === 0))
          await target.answers([operation.method, target.pathOf(operation), { body, type }], [400, 404]);
      const contact = JSON.stringify(target.usualBody({ method: 'POST', path: '/contacts' }));
      const body = contact.replace('"value":"text"', `"value":${'['.repeat(10_000)}${']'.repeat(10_000)}`);
      expect(body.length).toBeGreaterThan(20_000);
      await target.answers(['POST', '/contacts', { body }], [400]);
    });
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
      await target.staysAsItIs(() =>
        fc.assert(
          fc.asyncProperty(named, async ([operation, identifier]) => {
            const path = operation.path.replaceAll(/\{\w+\}/g, () => identifier);
            const url = `${path}?${target.usualQuery(operation)}`;
            await target.answers([operation.method, url, { body: textOf(target, operation) }], [400, 403, 404]);
          }),
          runs(200),
        ),
      );
    },
    propertyTimeoutMs,
  );
});

it(
  'a bad call of a control is refused, and changes nothing',
  async () => {
    await using target = await openTarget();
    // Controls are called by hand: the type of the body need not be declared, and no body is an empty object.
    const isTaken = (why: string) =>
      ['nothing', 'a byte order mark alone', 'of another type', 'of no type'].includes(why);
    const inForce = async () => (await target.sandbox.control('GET', '/faults')).body;
    const faults = await inForce();
    await target.staysAsItIs(async () => {
      for (const [index, control] of controls.filter(({ body }) => body !== undefined).entries()) {
        const [method, path] = [control.method, `/_sandbox${control.path}`];
        if (method === 'GET')
          for (const query of ['nonsense=1', '__proto__x=1', '%00=1', 'constructor=1'])
            await target.answers([method, `${path}?${query}`], [400]);
        else {
          for (const [why, body, type] of bodiesFor(index === 0))
            if (!isTaken(why)) await target.answers([method, path, { body, type }], [400]);
          await fc.assert(
            fc.asyncProperty(damaged(target.usualBody(control, target.controls)), async (damage) => {
              const body = JSON.stringify(damage);
              fc.pre(control.body?.safeParse(JSON.parse(body)).success === false);
              await target.answers([method, path, { body }], [400]);
            }),
            runs(6),
          );
        }
      }
    });
    expect(await inForce()).toEqual(faults);
  },
  propertyTimeoutMs,
);

it(
  'a bad call of the authorization server is refused, by whichever of its endpoints, and changes nothing',
  async () => {
    await using target = await openTarget();
    const requested = ['response_type', 'client_id', 'redirect_uri', 'code_challenge', 'code_challenge_method'];
    const queries = oddQueries([...requested, 'scope', 'state']);
    const grants = ['grant_type', 'code', 'code_verifier', 'refresh_token', 'client_id', 'redirect_uri', 'token'];
    const form = 'application/x-www-form-urlencoded';
    const statusOf = async (...request: Parameters<Target['send']>) => (await target.send(...request)).status;
    await target.staysAsItIs(async () => {
      await fc.assert(
        fc.asyncProperty(queries, oddQueries(grants), async (query, body) => {
          const statuses = [
            await statusOf('GET', `/oauth/authorize?${query}`),
            await statusOf('POST', '/oauth/authorize', { body: query, type: form }),
            await statusOf('POST', '/oauth/token', { body, type: form }),
          ];
          expect(statuses.filter((status) => status < 400 || status >= 500)).toEqual([]);
          for (const known of ['client_id=slotstream', 'client_id=slotstream&redirect_uri=http://127.0.0.1/'])
            expect(await statusOf('GET', `/oauth/authorize?${known}&${query}`)).toBeLessThan(500);
        }),
        runs(20),
      );
      for (const path of ['/oauth/authorize', '/oauth/token', '/oauth/revoke'])
        for (const [, body, type] of bodiesFor(path === '/oauth/token'))
          for (const sentType of [type, form])
            expect(await statusOf('POST', path, { body, type: sentType })).toBeLessThan(500);
    });
  },
  propertyTimeoutMs,
);
