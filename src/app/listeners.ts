// Binds the listeners of a process before anything else is opened: a port in use is reported before a queue or a database is made.
import type { Config } from '#src/config/load.ts';
import type { Log } from '#src/observability/log.ts';
import { isPortInUse, openListener, type Listener } from '#src/receiver/listener.ts';
import type { Roles } from './roles.ts';

export interface Listeners {
  /** Undefined where this process does not receive. */
  readonly webhook: Listener | undefined;
  readonly admin: Listener;
  /** The address of the admin listener from this machine. */
  readonly adminUrl: string;
}

// Time between "not ready" and the closed listener, so that a load balancer stops sending before connections are refused.
const unreadyGraceMs = 1_000;

export async function bindListeners(
  { config, log, opened }: { readonly config: Config; readonly log: Log; readonly opened: AsyncDisposableStack },
  { receives }: Pick<Roles, 'receives'>,
): Promise<Listeners> {
  const { host, port, maxBodyBytes } = config;
  const webhook = receives ? await openListener({ host, port, graceMs: unreadyGraceMs, maxBodyBytes }) : undefined;
  if (webhook) opened.defer(() => webhook.close());
  const admin = await bindAdmin(config);
  opened.defer(() => admin.close());
  if (config.adminPort !== 0 && admin.port !== config.adminPort)
    log.info(`port ${config.adminPort} is in use: the admin listener of this process has port ${admin.port}`);
  const adminHost = config.adminHost === '0.0.0.0' ? '127.0.0.1' : config.adminHost;
  return { webhook, admin, adminUrl: `http://${adminHost.includes(':') ? `[${adminHost}]` : adminHost}:${admin.port}` };
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
