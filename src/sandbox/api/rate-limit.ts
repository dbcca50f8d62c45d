// Rate limits: every user has a limit per minute, and POST /invitees has limits by the tier of the account besides. Windows
// are fixed, begin with their first call (A22), and follow the sandbox's clock.
import { apiRateLimits, bookingRateLimits } from '#schemas/limits.ts';
import { idOf } from '#schemas/wire.ts';
import { dayMs, hourMs, minuteMs, secondMs } from '#src/sandbox/clock.ts';
import { isPaid } from '#src/sandbox/world/organizations.ts';
import type { Organization, Service, ServiceOptions } from '#src/sandbox/world/service.ts';
import type { Caller, ServiceOperation } from './service-operation.ts';

export interface RateState {
  readonly headers: Readonly<Record<string, string>>;
  /** Over the limit: the seconds until the caller may try again. */
  readonly retryInSeconds?: number;
}

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

interface Gauge {
  readonly limit: Limit;
  readonly window: Window;
}

export function createRateLimits({
  clock,
  options,
}: Service): (caller: Caller, operation: ServiceOperation) => RateState {
  // At most four windows per user: a window is replaced when it is over.
  const users = new Map<string, Map<string, Window>>();

  return ({ user, organization }, operation) => {
    const nowMs = clock.nowMs();
    let windows = users.get(user.uri);
    if (windows === undefined) users.set(user.uri, (windows = new Map()));
    const gauges = limitsOf({ organization, as: options.as }, operation).map((limit) => gaugeOf(windows, limit, nowMs));
    const exceeded = gauges.filter(({ limit, window }) => window.calls >= limit.requests);
    // A rejected call is not counted, so a caller that keeps retrying is not locked out. Without limits nothing is counted,
    // or a caller that reads the headers would wait for a limit that is switched off.
    if (exceeded.length === 0 && options.rateLimits) for (const { window } of gauges) window.calls += 1;
    const tightest = tightestOf(exceeded.length > 0 ? exceeded : gauges);
    const seconds = Math.max(1, Math.ceil((tightest.window.endsMs - nowMs) / secondMs));
    const headers = {
      'X-RateLimit-Limit': String(tightest.limit.requests),
      'X-RateLimit-Remaining': String(remaining(tightest)),
      'X-RateLimit-Reset': String(seconds),
      ...(options.as === 'public' && {
        'X-RateLimit-Tier': tierOf(organization),
        'X-RateLimit-Key': `oauth:sandbox:${idOf(user.uri)}`,
      }),
    };
    return exceeded.length > 0 ? { headers, retryInSeconds: seconds } : { headers };
  };
}

/** `free` and `trial` are recorded; the third is assumed (A6d). */
const tierOf = (organization: Organization): 'free' | 'trial' | 'paid' =>
  organization.trial ? 'trial' : isPaid(organization) ? 'paid' : 'free';

interface Account extends Pick<ServiceOptions, 'as'> {
  readonly organization: Organization;
}

function limitsOf({ organization, as }: Account, { limited }: ServiceOperation): readonly Limit[] {
  const requests = isPaid(organization) ? apiRateLimits.paid : apiRateLimits.free;
  const everything: Limit = { family: 'calls', requests, per: 'minute' };
  if (limited === undefined) return [everything];
  return [...bookingLimits({ organization, as }).map((limit) => ({ family: limited, ...limit })), everything];
}

/** By the specification the free plan may not book at all; at the public service it books as the paid ones do. */
function bookingLimits({ organization, as }: Account): readonly Omit<Limit, 'family'>[] {
  if (as === 'specification' && !isPaid(organization)) return [];
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

/** The limit with the fewest calls left; among equals, the one whose window ends last. */
const tightestOf = (gauges: readonly Gauge[]): Gauge =>
  gauges.reduce((tightest, gauge) => {
    const difference = remaining(gauge) - remaining(tightest);
    return difference < 0 || (difference === 0 && gauge.window.endsMs > tightest.window.endsMs) ? gauge : tightest;
  });
