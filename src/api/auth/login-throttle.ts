// Throttles wrong tokens by network: after ten in a minute the answer is 429.

export interface LoginThrottle {
  /** Counts a wrong token. Returns the seconds to wait once there were too many. */
  failed(address: string): number | undefined;
}

const maxInWindow = 10;
const windowMs = 60_000;
/** Bounds the memory: an attacker with more networks only evicts the oldest. */
const maxNetworks = 1000;

export function createLoginThrottle({ clock }: { clock(): number }): LoginThrottle {
  const windows = new Map<string, { readonly sinceMs: number; count: number }>();
  return {
    failed(address) {
      const network = networkOf(address);
      const nowMs = clock();
      let window = windows.get(network);
      if (window === undefined || nowMs - window.sinceMs >= windowMs) {
        windows.delete(network);
        windows.set(network, (window = { sinceMs: nowMs, count: 0 }));
        const [oldest] = windows.keys();
        if (windows.size > maxNetworks && oldest !== undefined) windows.delete(oldest);
      }
      window.count += 1;
      if (window.count <= maxInWindow) return undefined;
      return Math.max(1, Math.ceil((window.sinceMs + windowMs - nowMs) / 1000));
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
