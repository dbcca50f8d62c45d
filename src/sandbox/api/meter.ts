// How often a user may call: a window a minute for everything, and the tiers of POST /invitees. All on the sandbox's clock.
import { apiRateLimits } from '#schemas/limits.ts';
import { minuteMs } from '../clock.ts';
import { isPaid } from '../world/organization.ts';
import type { Service } from '../world/service.ts';
import type { Meter } from './gate.ts';
import type { Caller, Operation } from './operation.ts';

export function createMeter({ clock, options }: Service): (caller: Caller, operation: Operation) => Meter {
  const windows = new Map<string, { startMs: number; calls: number }>();
  return ({ user, organization }) => {
    const limit = isPaid(organization) ? apiRateLimits.paid : apiRateLimits.free;
    const nowMs = clock.nowMs();
    let window = windows.get(user.uri);
    if (window === undefined || nowMs - window.startMs >= minuteMs)
      windows.set(user.uri, (window = { startMs: nowMs, calls: 0 }));
    window.calls += 1;
    const seconds = Math.ceil((window.startMs + minuteMs - nowMs) / 1000);
    const headers = {
      'X-RateLimit-Limit': String(limit),
      'X-RateLimit-Remaining': String(Math.max(0, limit - window.calls)),
      'X-RateLimit-Reset': String(seconds),
    };
    return options.rateLimits && window.calls > limit ? { headers, retryInSeconds: seconds } : { headers };
  };
}
