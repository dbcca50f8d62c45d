// How often a user may call: every user by the minute, and POST /invitees by the tier of the account besides. Windows are
// fixed, begin with the first call in them (A22), and pass on the sandbox's clock.
import { apiRateLimits, bookingRateLimits } from '#schemas/limits.ts';
import { dayMs, hourMs, minuteMs, secondMs } from '#src/sandbox/clock.ts';
import { isPaid } from '#src/sandbox/world/organizations.ts';
import type { Organization } from '#src/sandbox/world/state.ts';
import type { Service } from '#src/sandbox/world/service.ts';
import type { Caller } from './caller.ts';
import type { Meter } from './router.ts';
import type { Operation } from './operation.ts';

const lengths = { minute: minuteMs, hour: hourMs, day: dayMs } as const;

interface Limit {
  readonly family: 'calls' | 'bookings';
  readonly requests: number;
  readonly per: keyof typeof lengths;
}

interface Window {
  readonly endsMs: number;
  calls: number;
}

/** One limit as it stands for a user now. */
interface Gauge {
  readonly limit: Limit;
  readonly window: Window;
}

export function createMeter({ clock, options }: Service): (caller: Caller, operation: Operation) => Meter {
  // At most four numbers a user, however many calls: a window is replaced when it is over.
  const users = new Map<string, Map<string, Window>>();

  return ({ user, organization }, operation) => {
    const nowMs = clock.nowMs();
    let windows = users.get(user.uri);
    if (windows === undefined) users.set(user.uri, (windows = new Map()));
    const gauges = limitsOf(organization, operation).map((limit) => gaugeOf(windows, limit, nowMs));
    const exceeded = gauges.filter(({ limit, window }) => window.calls >= limit.requests);
    // What is refused for its rate uses nothing up: who keeps knocking does not lose the day. Without limits nothing is used
    // up either, or callers that heed the headers would wait for a limit that is not there.
    if (exceeded.length === 0 && options.rateLimits) for (const { window } of gauges) window.calls += 1;
    const speaking = tightestOf(exceeded.length > 0 ? exceeded : gauges);
    const seconds = Math.max(1, Math.ceil((speaking.window.endsMs - nowMs) / secondMs));
    const headers = {
      'X-RateLimit-Limit': String(speaking.limit.requests),
      'X-RateLimit-Remaining': String(remaining(speaking)),
      'X-RateLimit-Reset': String(seconds),
    };
    return exceeded.length > 0 ? { headers, retryInSeconds: seconds } : { headers };
  };
}

function limitsOf(organization: Organization, { limited }: Operation): readonly Limit[] {
  const requests = isPaid(organization) ? apiRateLimits.paid : apiRateLimits.free;
  const everything: Limit = { family: 'calls', requests, per: 'minute' };
  if (limited === undefined) return [everything];
  return [...bookingLimits(organization).map((limit) => ({ family: limited, ...limit })), everything];
}

/** The free plan may not book at all. */
function bookingLimits(organization: Organization): readonly Omit<Limit, 'family'>[] {
  if (!isPaid(organization)) return [];
  if (organization.trial) return bookingRateLimits.trial;
  return organization.plan === 'enterprise' ? bookingRateLimits.enterprise : bookingRateLimits.paid;
}

function gaugeOf(windows: Map<string, Window>, limit: Limit, nowMs: number): Gauge {
  const name = `${limit.family} ${limit.per}`;
  let window = windows.get(name);
  if (window === undefined || window.endsMs <= nowMs)
    windows.set(name, (window = { endsMs: nowMs + lengths[limit.per], calls: 0 }));
  return { limit, window };
}

const remaining = ({ limit, window }: Gauge): number => Math.max(0, limit.requests - window.calls);

/** Of those with the least left, or nothing, the one that takes longest to be over. */
const tightestOf = (gauges: readonly Gauge[]): Gauge =>
  gauges.reduce((tightest, gauge) => {
    const difference = remaining(gauge) - remaining(tightest);
    return difference < 0 || (difference === 0 && gauge.window.endsMs > tightest.window.endsMs) ? gauge : tightest;
  });
