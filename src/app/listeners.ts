// Binds the listeners of a process before anything else is opened: a port in use is reported before a queue or a database is made.
import type { Config } from '#src/config/load.ts';
import type { Log } from '#src/observability/log.ts';
import { isPortInUse, openListener, type Listener } from '#src/receiver/listener.ts';
import type { Roles } from './roles.ts';

export interface Listeners {
  /** Undefined where this process does not receive, or another program listens for it. */
  readonly webhook: Listener | undefined;
  readonly admin: Listener | undefined;
  /** Whether a browser that asks for a name below `localhost` reaches the admin listener and no other program. */
  readonly hasLoopback: boolean;
  /** Empty without an admin listener. */
  readonly adminUrl: string;
}

/** Which listeners are opened: a program that the mirror is a part of may have its own. */
export interface ListenerChoice {
  readonly webhook: boolean;
  readonly admin: boolean;
}

interface ListenerSetup {
  readonly config: Config;
  readonly log: Log;
  readonly opened: AsyncDisposableStack;
  readonly listens: ListenerChoice;
}

// Time between "not ready" and the closed listener, so that a load balancer stops sending before connections are refused.
const unreadyGraceMs = 1_000;

export async function bindListeners(
  { config, log, opened, listens }: ListenerSetup,
  { receives }: Pick<Roles, 'receives'>,
): Promise<Listeners> {
  const { host, port, maxBodyBytes } = config;
  const isBound = receives && listens.webhook;
  const webhook = isBound ? await openListener({ host, port, graceMs: unreadyGraceMs, maxBodyBytes }) : undefined;
  if (webhook) opened.defer(() => webhook.close());
  if (!listens.admin) return { webhook, admin: undefined, hasLoopback: false, adminUrl: '' };
  const first = await bindAdmin(config);
  opened.defer(() => first.close());
  const { admin, hasLoopback } = await bindLoopback(first, config);
  opened.defer(() => admin.close());
  if (config.adminPort !== 0 && admin.port !== config.adminPort)
    log.info(`port ${config.adminPort} is in use: the admin listener of this process has port ${admin.port}`);
  const adminHost = config.adminHost === '0.0.0.0' ? '127.0.0.1' : config.adminHost;
  const adminUrl = `http://${adminHost.includes(':') ? `[${adminHost}]` : adminHost}:${admin.port}`;
  return { webhook, admin, hasLoopback, adminUrl };
}

/** Browsers look for such a name at ::1 too, and first: another user's program there would get the sessions. */
async function bindLoopback(
  admin: Listener,
  { adminHost }: Config,
): Promise<{ readonly admin: Listener; readonly hasLoopback: boolean }> {
  if (adminHost !== '127.0.0.1') return { admin, hasLoopback: true };
  try {
    const second = await openListener({ host: '::1', port: admin.port });
    const serve: Listener['serve'] = (needs) => [admin, second].forEach((each) => each.serve(needs));
    const close = async () => void (await Promise.all([admin.close(), second.close()]));
    return { admin: { ...admin, serve, close }, hasLoopback: true };
  } catch (error) {
    // Otherwise this machine has no IPv6.
    return { admin, hasLoopback: !isPortInUse(error) };
  }
}

const triedPorts = 20;

/**
 * The next free port, unless the operator chose one: the processes of one machine run side by side without settings. PORT is for a
 * receiver, which may start later.
 */
async function bindAdmin({ adminHost: host, adminPort, hasAdminPort, port: webhookPort }: Config): Promise<Listener> {
  for (let port = adminPort; ; port += 1) {
    if (port === webhookPort && port !== adminPort) continue;
    try {
      return await openListener({ host, port });
    } catch (error) {
      if (hasAdminPort || !isPortInUse(error) || port >= adminPort + triedPorts) throw error;
    }
  }
}
