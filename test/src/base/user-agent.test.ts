import { expect, it } from 'vitest';
import { userAgent } from '#src/base/user-agent.ts';
import manifest from '../../../package.json' with { type: 'json' };

it('the sender of a call is named with its version', () => {
  expect(userAgent).toBe(`slotstream/${manifest.version}`);
});
