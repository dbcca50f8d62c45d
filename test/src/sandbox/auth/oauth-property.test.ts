// OAuth under any history and any input: what was taken back stays taken back, and nonsense is refused, never a fault.
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFamilies } from '#src/sandbox/auth/tokens.ts';
import { openClient } from '../../../harness/sandbox/oauth-client.ts';
import { openTestSandbox, type TestSandbox } from '../../../harness/sandbox.ts';
import { propertyTimeoutMs, runs } from '../../../harness/runs.ts';

let sandbox: TestSandbox;
beforeAll(async () => void (sandbox = await openTestSandbox({ rateLimits: false, contacts: 1, bookings: 1 })));
afterAll(() => sandbox[Symbol.asyncDispose]());

/** One family as it should be: whether it lives, and every refresh token it ever gave. */
interface Model {
  alive: boolean;
  readonly given: string[];
  access: string;
}

const step = fc.record({
  does: fc.constantFrom('begin', 'refresh', 'refresh', 'refresh', 'revoke', 'forge'),
  family: fc.nat(3),
  /** Counted from the newest. */
  token: fc.oneof(fc.constant(0), fc.nat(9)),
});

describe('families of tokens', () => {
  it(
    'live while only their newest refresh token is used, and end with the first that comes back',
    () => {
      fc.assert(
        fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
          const live = new Set<string>();
          const families = createFamilies(sandbox.service.clock, {
            ...sandbox.tokens,
            add: (token) => void live.add(token),
            revoke: (token) => void live.delete(token),
          });
          const models: Model[] = [];
          for (const { does, family, token } of steps) {
            const model = models[family];
            if (does === 'begin' || model === undefined) {
              const { access, refresh } = families.begin({ client: 'a', user: 'u', scopes: [] });
              models.push({ alive: true, given: [refresh], access });
              continue;
            }
            const used = model.given.at(-1 - (token % model.given.length)) ?? '';
            if (does === 'forge') {
              expect(families.find(used, 'b')).toBeUndefined();
              expect(families.find(used.slice(0, -1) + (used.endsWith('A') ? 'B' : 'A'), 'a')).toBeUndefined();
            } else if (does === 'revoke') {
              families.revoke(used);
              model.alive = false;
            } else {
              const isNewest = used === model.given.at(-1);
              const found = families.find(used, 'a');
              expect(found !== undefined).toBe(model.alive && isNewest);
              model.alive &&= isNewest;
              if (found !== undefined) {
                const { access, refresh } = families.renew(found, []);
                model.given.push(refresh);
                model.access = access;
              }
            }
          }
          for (const { alive, access } of models) expect(live.has(access)).toBe(alive);
          const most = models.reduce((sum, { alive, given }) => sum + (alive ? Math.min(given.length, 10) : 0), 0);
          expect(live.size).toBe(most);
        }),
        runs(120),
      );
    },
    propertyTimeoutMs,
  );
});

const names = ['client_id', 'client_secret', 'redirect_uri', 'response_type', 'code_challenge', 'scope', 'prompt'];
const more = ['code_challenge_method', 'login_hint', 'state', 'grant_type', 'code', 'code_verifier', 'refresh_token'];
const value = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    'slotstream',
    'code',
    'S256',
    'none',
    '__proto__',
    'authorization_code',
    'refresh_token',
    'http://127.0.0.1/',
  ),
  fc.webUrl(),
);
const nonsense = fc.dictionary(fc.constantFrom(...names, ...more, 'user', 'deny', 'token'), value);

describe('the authorization server', () => {
  it(
    'answers nonsense with a refusal of its own, and redirects to no other machine',
    async () => {
      const client = openClient(sandbox);
      const { base_url } = sandbox.handles;
      await fc.assert(
        fc.asyncProperty(nonsense, async (bent) => {
          for (const turn of [await client.ask(bent), await client.choose(bent)]) {
            expect([200, 302, 400]).toContain(turn.status);
            const location = turn.headers.get('location');
            if (location !== null) expect(new URL(location).hostname).toMatch(/^(127\.|localhost$|\[::1\]$)/);
          }
          for (const path of ['/oauth/token', '/oauth/revoke'])
            for (const init of [{}, { body: JSON.stringify(bent), headers: { 'content-type': 'application/json' } }])
              expect([200, 400, 401]).toContain((await client.post(path, bent, init)).status);
          const authorization = `Basic ${Buffer.from(Object.values(bent).join(':')).toString('base64')}`;
          const answer = await client.post('/oauth/token', bent, { headers: { authorization } });
          expect([400, 401]).toContain(answer.status);
        }),
        runs(30),
      );
      expect((await fetch(`${base_url}/.well-known/oauth-authorization-server`)).status).toBe(200);
    },
    propertyTimeoutMs,
  );
});
