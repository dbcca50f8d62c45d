// Wrong tokens, counted by where they come from: after a few in a minute there is no answer but "wait".

export interface Attempts {
  /** Counts one more; how many seconds to wait once there were too many. */
  failed(address: string): number | undefined;
}

const mostInWindow = 10;
const windowMs = 60_000;
/** Whoever has more addresses than this only makes us forget the oldest. */
const mostAddresses = 1000;

export function createAttempts({ clock }: { clock(): number }): Attempts {
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
        if (windows.size > mostAddresses && oldest !== undefined) windows.delete(oldest);
      }
      window.count += 1;
      if (window.count <= mostInWindow) return undefined;
      return Math.max(1, Math.ceil((window.sinceMs + windowMs - nowMs) / 1000));
    },
  };
}

/** One customer has a whole /64 of IPv6; an IPv4 address is one however it is written. */
function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined || !address.includes(':')) return mapped ?? address;
  const [head = '', tail] = address.split('::');
  const groups = head.split(':');
  const missing = tail === undefined ? 0 : 8 - groups.length - tail.split(':').length;
  return [...groups, ...Array.from({ length: Math.max(0, missing) }, () => '0')].slice(0, 4).join(':');
}
