// Counting calls: what the headers say, and who has to wait.
import { describe, expect, it } from 'vitest';
import { createRateLimits } from '#src/sandbox/api/rate-limit.ts';
import { operations } from '../../../harness/sandbox.ts';
import type { Caller, ServiceOperation } from '#src/sandbox/api/service-operation.ts';
import { createTokens } from '#src/sandbox/auth/tokens.ts';
import type { Service } from '#src/sandbox/world/service.ts';
import { createBookingWorld } from '../../../harness/sandbox/booking-world.ts';

const named = (id: string): ServiceOperation => operations.find((one) => one.id === id) as ServiceOperation;
const booking = named('createInvitee');

function opened(options: Partial<Service['options']> = {}) {
  const world = createBookingWorld();
  const service = { ...world.service, options: { ...world.service.options, ...options } };
  const tokens = createTokens(service);
  const token = tokens.personal('meter', { user: world.handles.users.owner, scopes: [] });
  const caller: Caller = tokens.callerOf(`Bearer ${token}`);
  const meter = createRateLimits(service);
  return { caller, call: (operation: ServiceOperation) => meter(caller, operation), meter };
}

describe('the meter', () => {
  it('follows the plan of the account as it changes', () => {
    const { caller, call, meter } = opened();
    for (let count = 0; count < 5; count += 1) call(booking);
    const onTrial = { ...caller, organization: { ...caller.organization, trial: true } };
    expect(meter(onTrial, booking)).toMatchObject({
      headers: { 'X-RateLimit-Limit': '5' },
      retryInSeconds: 24 * 60 * 60,
    });
    expect(call(booking)).toMatchObject({ headers: { 'X-RateLimit-Limit': '10', 'X-RateLimit-Remaining': '4' } });
  });

  it('counts nothing when the limits are switched off', () => {
    const { call } = opened({ rateLimits: false });
    for (let count = 0; count < 20; count += 1) expect(call(booking).retryInSeconds).toBeUndefined();
    expect(call(booking).headers).toMatchObject({ 'X-RateLimit-Remaining': '10' });
  });
});
