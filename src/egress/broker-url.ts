// Parses the addresses of message brokers: `nats://USER:PASSWORD@HOST:4222,HOST2:4222`. They may name several hosts, which a URL cannot. Pure.

interface Brokers {
  readonly scheme: string;
  /** Each with its port, where that is given. */
  readonly hosts: string[];
  readonly user: string | undefined;
  readonly password: string | undefined;
  /** What follows the first `/` after the hosts. */
  readonly path: string;
  readonly options: URLSearchParams;
}

const form = /^([a-z]+):\/\/(?:([^@/?#\s]*)@)?([^@/?#\s]+)(?:\/([^/?#\s]*))?(?:\?([^#\s]*))?$/i;

/** Undefined when it is no such address. */
export function readBrokers(address: string): Brokers | undefined {
  const [, scheme = '', login = '', list = '', path = '', query] = form.exec(address) ?? [];
  const hosts = list.split(',');
  if (hosts.some((host) => host === '' || !URL.canParse(`tcp://${host}`))) return undefined;
  const [user, password] = login.split(/:(.*)/s, 2).map(decoded);
  if (user === null || password === null) return undefined;
  const options = new URLSearchParams(query);
  return { scheme: scheme.toLowerCase(), hosts, user: user || undefined, password, path, options };
}

/** Null when a `%` in it is not encoded. */
function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** How to connect, as the client of NATS names it. A user without a password is a token. */
export function readNats(address: string) {
  const { scheme, hosts, user, password, path, options } = readBrokers(address) ?? {};
  if (hosts === undefined || (scheme !== 'nats' && scheme !== 'tls') || path !== '' || options?.size !== 0)
    return undefined;
  return {
    servers: hosts,
    // Refuses a server without TLS.
    ...(scheme === 'tls' && { tls: {} }),
    ...(user !== undefined && (password === undefined ? { token: user } : { user, pass: password })),
  };
}

const mechanisms = ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'] as const;

/** How to connect, as the client of Kafka names it, and the topic. */
export function readKafka(address: string) {
  const { scheme, hosts, user, password, path, options } = readBrokers(address) ?? {};
  if (hosts === undefined || (scheme !== 'kafka' && scheme !== 'kafkas')) return undefined;
  const { sasl = 'PLAIN', ...others } = Object.fromEntries(options ?? []);
  const mechanism = mechanisms.find((known) => known === sasl.toUpperCase());
  const topic = path || 'slotstream.feed';
  if (mechanism === undefined || Object.keys(others).length > 0 || !/^[\w.-]{1,249}$/.test(topic)) return undefined;
  if ((user === undefined) !== (password === undefined)) return undefined;
  return {
    topic,
    bootstrapBrokers: hosts.map((host) => (/:\d+$/.test(host) ? host : `${host}:9092`)),
    ...(scheme === 'kafkas' && { tls: {} }),
    ...(user !== undefined && password !== undefined && { sasl: { mechanism, username: user, password } }),
  };
}
