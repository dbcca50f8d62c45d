// Bad input of every kind to every operation: a specified refusal, never a fault of the sandbox, and nothing changed.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commonError } from '#schemas/errors.ts';
import type { ServiceOperation } from '#src/sandbox/api/service-operation.ts';
import { operations } from '../../../harness/sandbox.ts';
import { dayMs } from '#src/sandbox/clock.ts';
import { brokenBodies, oddIdentifiers, oddQueries, programTexts } from '../../../harness/data/hostile.ts';
import { damaged, spoiled } from '../../../harness/sandbox/hostile-requests.ts';
import {
  jsonOf,
  openTarget,
  pathToNothing,
  type Extra,
  type Sent,
  type Target,
} from '../../../harness/sandbox/hostile-target.ts';
import { propertyTimeoutMs, runs } from '../../../harness/runs.ts';

let target: Target;
/** What is accepted in one suite does not disturb another. */
function openTargetForSuite(): void {
  beforeAll(async () => void (target = await openTarget()));
  afterAll(() => target[Symbol.asyncDispose]());
}

const call = (operation: ServiceOperation, path: string, extra: Extra = {}): Promise<Sent> =>
  target.send(operation.method, path, { token: target.owner, ...extra });

const pathOf = (operation: ServiceOperation): string => target.pathOf(operation) ?? pathToNothing(operation);

const textOf = ({ body, ...operation }: ServiceOperation): string | undefined =>
  body && JSON.stringify(target.usualBody(operation, target.service));

/** Whether the operation's own schema, or a parameter given twice, is against this query. */
function isAgainst({ query }: ServiceOperation, text: string): boolean {
  const parameters = [...new URLSearchParams(text)];
  const names = new Set(parameters.map(([name]) => name));
  return names.size < parameters.length || query?.safeParse(Object.fromEntries(parameters)).success === false;
}

const refusals = [400, 403, 404, 409];
const all = operations.map((operation) => [`${operation.method} ${operation.path}`, operation] as const);
const reading = all.filter(([, { method }]) => method === 'GET');
const writing = all.filter(([, { body }]) => body !== undefined);
const naming = all.filter(([, { path }]) => path.includes('{'));

// In this order: an event type that was changed asks other questions.
describe('the usual request', { shuffle: false }, () => {
  openTargetForSuite();
  // Else the refusals below would say nothing: it is what they spoil.
  it.each(writing)('to %s is taken', async (name, operation) => {
    const body = textOf(operation);
    const answer = await call(operation, pathOf(operation), { body });
    expect(target.wrongWith(`${name} ${body}`, answer, [200, 201])).toEqual([]);
  });

  it.each(reading)('to %s is answered', async (name, operation) => {
    const answer = await call(operation, [pathOf(operation), target.usualQuery(operation)].join('?'));
    expect(target.wrongWith(name, answer, [200])).toEqual([]);
  });
});

describe('a bad query', () => {
  openTargetForSuite();
  it.each(reading)(
    'to %s is refused or finds what it says, and changes nothing',
    async (name, operation) => {
      const path = target.pathOf(operation);
      const before = target.truth();
      await fc.assert(
        fc.asyncProperty(oddQueries(target.queryNames(operation)), async (query) => {
          const asked = `${target.usualQuery(operation)}&${query}`;
          const answer = await call(operation, `${path ?? pathToNothing(operation)}?${asked}`);
          const allowed = isAgainst(operation, asked) && path !== undefined ? [400] : [200, 400, 403, 404];
          expect(target.wrongWith(`${name}?${asked}`, answer, allowed)).toEqual([]);
        }),
        runs(operation.answers === 'collection' ? 12 : 4),
      );
      expect(target.truth()).toBe(before);
    },
    propertyTimeoutMs,
  );
});

describe('a bad body', () => {
  openTargetForSuite();
  it.each(writing)(
    'to %s is refused, wherever it is wrong, and changes nothing',
    async (name, operation) => {
      const path = target.pathOf(operation);
      const sample = target.usualBody(operation, target.service);
      let before = target.truth();
      await fc.assert(
        fc.asyncProperty(damaged(sample), async (body) => {
          const text = JSON.stringify(body);
          const answer = await call(operation, path ?? pathToNothing(operation), { body: text });
          const isWrong = operation.body?.safeParse(JSON.parse(text)).success === false && path !== undefined;
          expect(target.wrongWith(`${name} ${text}`, answer, isWrong ? [400] : [200, 201, ...refusals])).toEqual([]);
          const after = target.truth();
          if (answer.status >= 400) expect([text, after]).toEqual([text, before]);
          before = after;
        }),
        runs(12),
      );
    },
    propertyTimeoutMs,
  );

  it.each(writing)('to %s that is no JSON object is refused, and changes nothing', async (name, operation) => {
    const path = pathOf(operation);
    const before = target.truth();
    for (const [reason, body, type] of brokenBodies) {
      const answer = await call(operation, path, { body, type });
      expect(target.wrongWith(`${name} with ${reason}`, answer, [400, 404])).toEqual([]);
    }
    expect(target.truth()).toBe(before);
  });

  it('cannot hide in a custom field, however deep, and pollutes nothing', async () => {
    const before = target.truth();
    const email = '{"email":"deep@example.test","is_primary":true}';
    for (const { uri } of target.sandbox.service.state.definitions.values())
      for (const depth of [3, 10_000]) {
        const value = `${'['.repeat(depth)}{"__proto__":{"polluted":1}}${']'.repeat(depth)}`;
        const uuid = uri.slice(uri.lastIndexOf('/') + 1);
        const body = `{"emails":[${email}],"custom_fields":[{"uuid":"${uuid}","value":${value}}]}`;
        const answer = await target.send('POST', '/contacts', { token: target.owner, body });
        expect(target.wrongWith(`a value ${depth} deep`, answer, [400])).toEqual([]);
      }
    expect(target.truth()).toBe(before);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

describe('an odd identifier', () => {
  openTargetForSuite();
  it.each(naming)(
    'in %s is not found, and changes nothing',
    async (name, operation) => {
      const body = textOf(operation);
      const kind = operation.path.split('/{')[0] ?? '';
      const others = target.urisOfWorld().filter((uri) => !uri.includes(`${kind}/`));
      const foreign = fc.constantFrom(...others.map((uri) => uri.slice(uri.lastIndexOf('/') + 1)));
      const before = target.truth();
      await fc.assert(
        fc.asyncProperty(fc.oneof(fc.constantFrom(...oddIdentifiers), foreign), async (identifier) => {
          const path = operation.path.replaceAll(/\{\w+\}/g, () => identifier);
          const answer = await call(operation, [path, target.usualQuery(operation)].join('?'), { body });
          expect(target.wrongWith(`${operation.method} ${path}`, answer, [400, 403, 404])).toEqual([]);
        }),
        runs(12),
      );
      expect([name, target.truth()]).toEqual([name, before]);
    },
    propertyTimeoutMs,
  );
});

describe('a forged token', () => {
  openTargetForSuite();
  const forged = fc.oneof(
    fc.constantFrom(
      '',
      'Bearer',
      'Bearer ',
      'bearer null',
      'Basic b3duZXI6b3duZXI=',
      'Bearer a b',
      `Bearer ${'a'.repeat(9000)}`,
    ),
    fc.string({ unit: 'grapheme-ascii', maxLength: 60 }).map((text) => `Bearer ${text}`),
    fc.nat(30).map((cut) => target.owner.slice(0, -1 - cut)),
    fc.constantFrom(' ', 'x', ',', ' Bearer').map((more) => `${target.owner.trimEnd()}${more}x`),
  );

  it.each(all)('does not open %s without a valid token', async (name, operation) => {
    const body = textOf(operation);
    const before = target.truth();
    await fc.assert(
      fc.asyncProperty(forged, async (token) => {
        const answer = await call(operation, pathOf(operation), { token, body });
        expect(target.wrongWith(`${name} with ${token}`, answer, [401])).toEqual([]);
        expect(jsonOf(answer.text)).toMatchObject(commonError);
      }),
      runs(6),
    );
    expect(target.truth()).toBe(before);
  });
});

describe('a page token', () => {
  openTargetForSuite();
  const lists = all.filter(([, { answers }]) => answers === 'collection');
  const page = async (operation: ServiceOperation, more: string): Promise<Sent> =>
    call(operation, `${pathOf(operation)}?${target.usualQuery(operation)}&${more}`);
  const tokenOf = async (operation: ServiceOperation): Promise<string | null> => {
    const { pagination } = JSON.parse((await page(operation, 'count=1')).text) as {
      pagination: { next_page_token: string | null };
    };
    return pagination.next_page_token;
  };
  const takesPages = (operation: ServiceOperation): boolean => target.queryNames(operation).includes('page_token');

  it.each(lists.filter(([, operation]) => operation.path !== '/event_type_available_times'))(
    'that is forged, foreign, cut or too old is refused by %s',
    async (name, operation) => {
      expect(takesPages(operation)).toBe(true);
      const own = await tokenOf(operation);
      const elsewhere = operation.id === 'listContacts' ? 'listEventTypes' : 'listContacts';
      const foreign = await tokenOf(operations.find(({ id }) => id === elsewhere) ?? operation);
      const bad = ['x', 'null', '%00', 'e30', 'W10', 'a'.repeat(5000), foreign];
      if (own !== null)
        bad.push(own.slice(0, -3), `${own}A`, own.toUpperCase(), `${own.slice(0, 30)}B${own.slice(31)}`);
      for (const token of bad) {
        const answer = await page(operation, `page_token=${token}`);
        expect(target.wrongWith(`${name} with ${token}`, answer, [400])).toEqual([]);
        expect(jsonOf(answer.text)).toMatchObject({ details: [{ parameter: 'page_token' }] });
      }
      if (own === null) return;
      expect((await page(operation, `page_token=${own}`)).status).toBe(200);
      target.skip(dayMs + 1);
      expect((await page(operation, `page_token=${own}`)).status).toBe(400);
    },
  );
});

describe('an odd text', () => {
  openTargetForSuite();
  it.each(writing)('in any field of %s is taken or refused', async (name, operation) => {
    const path = pathOf(operation);
    for (const body of spoiled(target.usualBody(operation, target.service), programTexts)) {
      const text = JSON.stringify(body);
      const answer = await call(operation, path, { body: text });
      expect(target.wrongWith(`${name} ${text}`, answer, [200, 201, ...refusals])).toEqual([]);
    }
  });
});
