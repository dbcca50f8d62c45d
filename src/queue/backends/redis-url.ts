// Parses QUEUE_URL for Redis: one server, Sentinel or Cluster. The last two name several hosts, which `URL` cannot parse.
//
//   redis://[user:password@]host[:6379][/db]          rediss:// with TLS
//   redis+sentinel://[user:password@]host[:26379],host…/master[?db=0&tls=true&sentinelPassword=…]
//   redis+cluster://[user:password@]host[:6379],host…[?tls=true]
//
// A Cluster has no numbered databases. `?name=…` (queue-address.ts) separates mirrors everywhere.

import { SlotstreamError } from '#src/base/errors.ts';

interface Host {
  readonly host: string;
  readonly port: number;
}

interface Credentials {
  readonly username?: string;
  readonly password?: string;
  readonly tls?: Record<string, never>;
}

export type RedisTarget =
  | { readonly kind: 'single'; readonly url: string }
  | {
      readonly kind: 'sentinel';
      readonly hosts: readonly Host[];
      readonly master: string;
      readonly db: number;
      readonly sentinelPassword?: string;
      readonly credentials: Credentials;
    }
  | { readonly kind: 'cluster'; readonly hosts: readonly Host[]; readonly credentials: Credentials };

const severalHosts =
  /^redis\+(?<kind>sentinel|cluster):\/\/(?:(?<user>[^@/]*)@)?(?<hosts>[^/?@]+)(?:\/(?<path>[^?]*))?(?:\?(?<query>.*))?$/;

export function readRedisUrl(url: string): RedisTarget {
  if (/^rediss?:\/\//.test(url)) {
    if (!URL.canParse(url)) throw invalidUrl('it is not a URL');
    return { kind: 'single', url };
  }
  const parts = severalHosts.exec(url)?.groups;
  if (parts === undefined) throw invalidUrl('its form is unknown');
  const query = new URLSearchParams(parts['query'] ?? '');
  const credentials = { ...readUser(parts['user']), ...(query.get('tls') === 'true' ? { tls: {} } : {}) };
  if (parts['kind'] === 'cluster') {
    if ((parts['path'] ?? '') !== '' || query.has('db'))
      throw new SlotstreamError('config', 'A Redis Cluster has no numbered databases, so QUEUE_URL cannot name one.', {
        hint: 'Remove the path and `db`, and give each mirror a name instead: redis+cluster://host:6379,host?name=acme',
      });
    return { kind: 'cluster', hosts: readHosts(parts['hosts'], 6379), credentials };
  }

  const master = decode(parts['path'] ?? '');
  if (master === '') throw invalidUrl('it does not name the master, as in redis+sentinel://host:26379/mymaster');
  const sentinelPassword = query.get('sentinelPassword');
  return {
    kind: 'sentinel',
    hosts: readHosts(parts['hosts'], 26379),
    master,
    db: Number(query.get('db') ?? 0),
    ...(sentinelPassword === null ? {} : { sentinelPassword }),
    credentials,
  };
}

function readHosts(text = '', defaultPort: number): readonly Host[] {
  return text.split(',').map((entry) => {
    const match = /^(?<host>\[[0-9a-fA-F:.]+\]|[^:[\]]+)(?::(?<port>\d{1,5}))?$/.exec(entry.trim())?.groups;
    if (match?.['host'] === undefined) throw invalidUrl('one of its hosts is invalid');
    return { host: match['host'].replace(/^\[|\]$/g, ''), port: Number(match['port'] ?? defaultPort) };
  });
}

function readUser(text: string | undefined): { username?: string; password?: string } {
  if (text === undefined || text === '') return {};
  const [username = '', ...rest] = text.split(':');
  const password = rest.join(':');
  return {
    ...(username === '' ? {} : { username: decode(username) }),
    ...(password === '' ? {} : { password: decode(password) }),
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalidUrl('it contains a % that is not an escape');
  }
}

/** The URL itself is never shown: it may contain a password. */
function invalidUrl(what: string): SlotstreamError {
  return new SlotstreamError('config', `QUEUE_URL cannot be used for Redis: ${what}.`, {
    hint: 'Use redis://, rediss://, redis+sentinel://host:26379,host/master or redis+cluster://host:6379,host.',
  });
}
