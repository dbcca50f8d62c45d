// The address of a PostgreSQL database: what is ours in it (`pool`), and what libpq understands and the driver does not. The driver
// would ignore that without a word.
import { isPostgres } from './database-schema.ts';

export interface PostgresAddress {
  /** One address per host, in their order, as the driver takes them. */
  readonly urls: readonly string[];
  /** Host and port of each. */
  readonly hosts: readonly string[];
  /** Only a server that can be written to is used. */
  readonly needsWrites: boolean;
  /** Most connections of a process. */
  readonly pool: number;
}

const usualPool = 8;
const form = /^(?<scheme>postgres(?:ql)?:\/\/)(?<authority>[^/?#]*)(?<rest>.*)$/is;
/** Of libpq; the driver knows neither them nor others like them. */
const unsupported = new Set(
  `hostaddr dbname passfile require_auth channel_binding connect_timeout keepalives keepalives_idle keepalives_interval keepalives_count
  tcp_user_timeout replication gssencmode requiressl sslcompression sslpassword sslcertmode sslcrl sslcrldir sslsni requirepeer
  ssl_min_protocol_version ssl_max_protocol_version min_protocol_version max_protocol_version krbsrvname gsslib gssdelegation
  scram_client_key scram_server_key service servicefile load_balance_hosts sslkeylogfile`.split(/\s+/),
);

export function readPostgresUrl(url: string): PostgresAddress {
  const { scheme, user, hosts, rest } = partsOf(url);
  const query = queryOf(rest);
  const ours = ['pool', 'target_session_attrs'].reduce(withoutParameter, rest);
  return {
    urls: hosts.map((host) => `${scheme}${user}${host}${ours}`),
    hosts: hosts.map((host) => host || 'the local socket'),
    needsWrites: query.get('target_session_attrs') === 'read-write',
    pool: Number(query.get('pool') ?? usualPool),
  };
}

/** Why an address cannot be used, without a value of it; undefined when it can. */
export function postgresProblem(
  name: 'DATABASE_URL' | 'DATABASE_READ_URL' | 'QUEUE_URL',
  url = '',
): string | undefined {
  if (!isPostgres(url) || !form.test(url)) return undefined;
  const { hosts, rest } = partsOf(url);
  const query = queryOf(rest);
  if ([query.get('host'), query.get('port')].some((value) => value?.includes(',')))
    return `${name} has several hosts as a parameter: write them before the database, postgres://HOST1:5432,HOST2:5432/DATABASE`;
  const foreign = [...query.keys()].find((key) => unsupported.has(key.toLowerCase()));
  if (foreign !== undefined)
    return `${name} has the parameter ${foreign}, which this program does not support: remove it`;
  const wanted = query.get('target_session_attrs') ?? 'any';
  if (wanted !== 'any' && wanted !== 'read-write')
    return `${name} has a target_session_attrs other than any and read-write, which this program does not support`;
  if (name === 'QUEUE_URL') {
    const primary = 'use the name of the primary, as HAProxy or DNS gives it';
    if (hosts.length > 1)
      return `QUEUE_URL has several hosts, which a queue on PostgreSQL does not support: ${primary}`;
    if (wanted !== 'any') return `QUEUE_URL has target_session_attrs, which only DATABASE_URL may have: ${primary}`;
    return query.has('pool')
      ? 'QUEUE_URL has the parameter pool, which only DATABASE_URL may have: remove it'
      : undefined;
  }
  if (name === 'DATABASE_READ_URL') {
    const ours = ['pool', 'target_session_attrs'].find((key) => query.has(key));
    return ours && `DATABASE_READ_URL has the parameter ${ours}, which only DATABASE_URL may have: remove it`;
  }
  const pool = query.get('pool');
  if (pool !== null && !(/^\d{1,3}$/.test(pool) && Number(pool) >= 2))
    return 'DATABASE_URL has a pool that is no whole number from 2 to 999';
  return undefined;
}

interface Parts {
  readonly scheme: string;
  /** With its `@`. */
  readonly user: string;
  readonly hosts: readonly string[];
  readonly rest: string;
}

function partsOf(url: string): Parts {
  const { scheme = '', authority = '', rest = '' } = form.exec(url)?.groups ?? {};
  const end = authority.lastIndexOf('@') + 1;
  return { scheme, user: authority.slice(0, end), hosts: authority.slice(end).split(','), rest };
}

const queryOf = (rest: string): URLSearchParams => new URLSearchParams(/\?([^#]*)/.exec(rest)?.[1] ?? '');

/** The other parameters stay as they are written. */
function withoutParameter(rest: string, name: string): string {
  const [path = '', query] = rest.split(/\?(.*)/s, 2);
  if (query === undefined) return rest;
  const others = query.split('&').filter((part) => part.split('=', 1)[0] !== name);
  return others.length === 0 ? path : `${path}?${others.join('&')}`;
}
