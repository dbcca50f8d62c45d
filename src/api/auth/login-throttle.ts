// Throttles wrong tokens by network: after ten in a minute each further answer is delayed. A right token is never delayed or refused,
// whatever others send: on one machine, or behind a proxy, everybody has the same address.
import { setTimeout as sleep } from 'node:timers/promises';

export interface LoginThrottle {
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
/** Bounds the memory: further ones of a network are answered at once. */
const maxDelayed = 200;
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
      if (window.delayed < maxDelayed) {
        window.delayed += 1;
        await sleep(delayMs);
        window.delayed -= 1;
      }
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
