// Bad input of every kind to every control and to the authorization server: refused, never a fault of the sandbox, and
// nothing changed.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Control } from '#src/sandbox/controls/control.ts';
import { controls } from '#src/sandbox/controls/control-routes.ts';
import { brokenBodies, oddQueries } from '../../../harness/data/hostile.ts';
import { damaged } from '../../../harness/sandbox/hostile-requests.ts';
import { openTarget, type Sent, type Target } from '../../../harness/sandbox/hostile-target.ts';
import { propertyTimeoutMs, runs } from '../../../harness/runs.ts';

let target: Target;
beforeAll(async () => void (target = await openTarget()));
afterAll(() => target[Symbol.asyncDispose]());

describe('a bad call of a control', () => {
  const levels = controls.map((control) => [`${control.method} ${control.path}`, control] as const);
  const refusesAtAll = ({ body }: Control): boolean => body !== undefined;
  const inForce = async (): Promise<string> => (await target.send('GET', '/_sandbox/faults')).text;
  const pull = ({ method, path }: Control, text: string): Promise<Sent> =>
    method === 'GET'
      ? target.send('GET', `/_sandbox${path}?${text}`)
      : target.send(method, `/_sandbox${path}`, { body: text });

  it.each(levels.filter(([, control]) => refusesAtAll(control) && control.method !== 'GET'))(
    '%s is refused, and changes nothing',
    async (name, control) => {
      const before = [target.truth(), await inForce()];
      for (const [reason, body, type] of brokenBodies.filter(
        ([why]) => !['nothing', 'a byte order mark alone', 'of another type', 'of no type'].includes(why),
      )) {
        const answer = await target.send(control.method, `/_sandbox${control.path}`, { body, type });
        expect(target.wrongWith(`${name} with ${reason}`, answer, [400])).toEqual([]);
      }
      await fc.assert(
        fc.asyncProperty(damaged(target.usualBody(control, target.controls)), async (body) => {
          const text = JSON.stringify(body);
          fc.pre(control.body?.safeParse(JSON.parse(text)).success === false);
          expect(target.wrongWith(`${name} ${text}`, await pull(control, text), [400])).toEqual([]);
        }),
        runs(8),
      );
      expect([target.truth(), await inForce()]).toEqual(before);
    },
    propertyTimeoutMs,
  );

  it.each(levels.filter(([, control]) => control.method === 'GET' && refusesAtAll(control)))(
    '%s is refused, and changes nothing',
    async (name, control) => {
      const before = target.truth();
      for (const query of ['nonsense=1', '__proto__x=1', '%00=1', 'constructor=1'])
        expect(target.wrongWith(`${name}?${query}`, await pull(control, query), [400])).toEqual([]);
      expect(target.truth()).toBe(before);
    },
  );

  it.each(levels.filter(([, control]) => demandsUri(control)))(
    '%s of what does not exist is refused, and changes nothing',
    async (name, control) => {
      const before = target.truth();
      const nowhere = `${target.sandbox.handles.base_url}/nothing/1`;
      const body = Object.fromEntries(
        Object.entries(target.usualBody(control, target.controls) as object).map(([key, value]: [string, unknown]) => [
          key,
          ['uri', 'invitee', 'user', 'organization', 'event', 'routing_form'].includes(key) ? nowhere : value,
        ]),
      );
      expect(target.wrongWith(name, await pull(control, JSON.stringify(body)), [400, 404])).toEqual([]);
      expect(target.truth()).toBe(before);
    },
  );
});

/** A control that acts on a resource named in its body. */
function demandsUri({ body, method }: Control): boolean {
  return (
    method !== 'GET' &&
    body !== undefined &&
    !body.safeParse({}).success &&
    JSON.stringify(Object.keys(shapeOf(body))).match(/uri|invitee|user/) !== null
  );
}

const shapeOf = (schema: object): object => (schema as { readonly shape?: object }).shape ?? {};

describe('a bad call of the authorization server', () => {
  const names = [
    'response_type',
    'client_id',
    'redirect_uri',
    'code_challenge',
    'code_challenge_method',
    'scope',
    'state',
  ];
  const grants = ['grant_type', 'code', 'code_verifier', 'refresh_token', 'client_id', 'redirect_uri', 'token'];
  const form = 'application/x-www-form-urlencoded';

  it(
    'is refused, by whichever of its endpoints, and changes nothing',
    async () => {
      const before = target.truth();
      await fc.assert(
        fc.asyncProperty(oddQueries(names), oddQueries(grants), async (query, body) => {
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
          expect(target.faults()).toEqual([]);
        }),
        runs(30),
      );
      for (const path of ['/oauth/authorize', '/oauth/token', '/oauth/revoke'])
        for (const [, body, type] of brokenBodies)
          for (const sentType of [type, form])
            expect((await target.send('POST', path, { body, type: sentType })).status).toBeLessThan(500);
      expect(target.faults()).toEqual([]);
      expect(target.truth()).toBe(before);
    },
    propertyTimeoutMs,
  );
});
