// Throttles wrong tokens by network: after ten in a minute each further answer is delayed, and few of them wait at the same time.
// That bounds how many tokens can be tried.
import { setTimeout as sleep } from 'node:timers/promises';

export interface LoginThrottle {
  /** The seconds to wait when as many wrong tokens of this network wait for their answer as may: the next one must not be judged. */
  blocked(address: string): number | undefined;
  /** Counts a wrong token. Once there were too many, resolves after a delay, with the seconds to wait. */
  failed(address: string): Promise<number | undefined>;
}

interface Window {
  readonly sinceMs: number;
  count: number;
  delayed: number;
}

const maxInWindow = 10;
const windowMs = 60_000;
const maxDelayed = 8;
/** Bounds the memory: an attacker with more networks only evicts the oldest. */
const maxNetworks = 1000;

export function createLoginThrottle({
  clock,
  delayMs = 2000,
}: {
  readonly clock: () => number;
  readonly delayMs?: number;
}): LoginThrottle {
  const windows = new Map<string, Window>();
  const secondsLeft = ({ sinceMs }: Window): number => Math.max(1, Math.ceil((sinceMs + windowMs - clock()) / 1000));
  return {
    blocked(address) {
      const window = windows.get(networkOf(address));
      return window !== undefined && window.delayed >= maxDelayed ? secondsLeft(window) : undefined;
    },
    async failed(address) {
      const network = networkOf(address);
      let window = windows.get(network);
      // A window with delayed answers stays, so that it goes on counting them.
      if (window === undefined || (clock() - window.sinceMs >= windowMs && window.delayed === 0)) {
        windows.delete(network);
        windows.set(network, (window = { sinceMs: clock(), count: 0, delayed: 0 }));
        const [oldest] = windows.keys();
        if (windows.size > maxNetworks && oldest !== undefined) windows.delete(oldest);
      }
      window.count += 1;
      if (window.count <= maxInWindow) return undefined;
      window.delayed += 1;
      await sleep(delayMs);
      window.delayed -= 1;
      return secondsLeft(window);
    },
  };
}

/** A customer has a whole /64 of IPv6; an IPv4 address is the same address when it is mapped to IPv6. */
function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined || !address.includes(':')) return mapped ?? address;
  const [head = '', tail] = address.split('::');
  const groups = head.split(':');
  const missing = tail === undefined ? 0 : 8 - groups.length - tail.split(':').length;
  return [...groups, ...Array.from({ length: Math.max(0, missing) }, () => '0')].slice(0, 4).join(':');
}
