// Lets time pass as it would: the clock stands at each time something is due until that has been attempted, so that a day of
// retries is a day of attempts. In real time it is bounded: a subscriber that never answers holds up nobody for long.
import { pause, secondMs } from '#src/sandbox/clock.ts';
import type { WebhookDispatcher } from '#src/sandbox/webhooks/webhook-dispatcher.ts';
import type { Service } from '#src/sandbox/world/service.ts';

export interface PassingNeeds {
  readonly service: Pick<Service, 'clock'>;
  readonly dispatcher: Pick<WebhookDispatcher, 'nextMs' | 'attempted' | 'idle'>;
}

/** In real time. What is under way belongs to the time before, but is not waited for where nobody answers. */
const mostMs = { underWay: 0.5 * secondMs, walking: 2 * secondMs, all: 3 * secondMs } as const;

export async function letPass({ service: { clock }, dispatcher }: PassingNeeds, ms: number): Promise<void> {
  const startMs = performance.now();
  const leftOf = (bound: keyof typeof mostMs): number => Math.max(0, mostMs[bound] - (performance.now() - startMs));
  await within(leftOf('underWay'), dispatcher.idle());
  for (let remaining = ms; ;) {
    const step = Math.max(0, dispatcher.nextMs - clock.nowMs());
    const isLast = step > remaining || leftOf('walking') === 0;
    const stepMs = isLast ? remaining : step;
    const attempted = dispatcher.attempted(() => clock.advance(stepMs));
    remaining -= stepMs;
    await within(leftOf(isLast ? 'all' : 'walking'), attempted);
    if (isLast) return;
  }
}

async function within(ms: number, done: Promise<void>): Promise<void> {
  const ended = new AbortController();
  await Promise.race([done, pause(ms, ended.signal)]);
  ended.abort();
}
