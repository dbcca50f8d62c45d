// OAuth tokens under any history: what was taken back stays taken back.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFamilies } from '#src/sandbox/auth/tokens.ts';
import { openForSuite } from '../../../harness/sandbox.ts';
import { propertyTimeoutMs, runs } from '../../../harness/runs.ts';

const sandbox = openForSuite({ rateLimits: false, contacts: 1, bookings: 1 });

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

describe('families of tokens', { timeout: propertyTimeoutMs }, () => {
  it('live while only their newest refresh token is used, and end with the first that comes back', () => {
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
  });
});
