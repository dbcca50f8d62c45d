// Counting calls: what the headers say, and who has to wait.
import { describe, expect, it } from 'vitest';
import { createRateLimits } from '#src/sandbox/api/rate-limit.ts';
import { operations } from '../../../harness/sandbox.ts';
import type { Caller, ServiceOperation } from '#src/sandbox/api/service-operation.ts';
import { createTokens } from '#src/sandbox/auth/tokens.ts';
import { minuteMs } from '#src/sandbox/clock.ts';
import type { Service } from '#src/sandbox/world/service.ts';
import { createBookingWorld } from '../../../harness/sandbox/booking-world.ts';

const named = (id: string): ServiceOperation => operations.find((one) => one.id === id) as ServiceOperation;
const booking = named('createInvitee');
const reading = named('getCurrentUser');

function opened(options: Partial<Service['options']> = {}) {
  const world = createBookingWorld();
  const service = { ...world.service, options: { ...world.service.options, ...options } };
  const tokens = createTokens(service);
  const token = tokens.personal('meter', { user: world.handles.users.owner, scopes: [] });
  const caller: Caller = tokens.callerOf(`Bearer ${token}`);
  const meter = createRateLimits(service);
  return { service, caller, call: (operation: ServiceOperation) => meter(caller, operation), meter };
}

describe('the meter', () => {
  it('counts down, and begins anew when the minute is over', () => {
    const { service, call } = opened();
    expect(call(reading).headers).toMatchObject({ 'X-RateLimit-Remaining': '499', 'X-RateLimit-Reset': '60' });
    service.clock.advance(minuteMs - 1);
    expect(call(reading).headers).toMatchObject({ 'X-RateLimit-Remaining': '498', 'X-RateLimit-Reset': '1' });
    service.clock.advance(1);
    expect(call(reading).headers).toMatchObject({ 'X-RateLimit-Remaining': '499', 'X-RateLimit-Reset': '60' });
  });

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
