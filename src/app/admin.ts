// Opens the admin listener: the API, the dashboard and MCP, each loaded with its first request.
import { createHmac } from 'node:crypto';
import { createAdminApp, type AdminNeeds, type Pages, type ReadApi } from '#src/api/app.ts';
import { createAccessLog } from '#src/api/auth/access-log.ts';
import { createLoginCodes, loginLink } from '#src/api/auth/login-codes.ts';
import { sessionsOfMirror, sessionsOfProcess } from '#src/api/auth/session.ts';
import type { Installation } from '#src/read/health/read-health.ts';
import { openAdminToken, writeAddress } from '#src/api/running-instance.ts';
import { isLoopback } from '#src/base/loopback.ts';
import { memoize } from '#src/base/memoize.ts';
import type { Config } from '#src/config/load.ts';
import type { Tail } from '#src/feed/tail.ts';
import type { Log } from '#src/observability/log.ts';
import type { Metrics } from '#src/observability/metrics/registry.ts';
import type { DeliveryQueue } from '#src/queue/contract.ts';
import type { Health } from '#src/receiver/health.ts';
import type { Store } from '#src/store/contract.ts';
import type { Reading } from '#src/store/reading/reading.ts';
import { privacyScreen } from '#workers/fold/privacy/screen.ts';
import type { Listeners } from './listeners.ts';
import { mcpOf } from './mcp.ts';
import { errorLogger } from './mirror.ts';
import type { Roles } from './roles.ts';
import type { Sinks } from './sink-pumps.ts';
import manifest from '../../package.json' with { type: 'json' };

interface AdminParts {
  readonly config: Config;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly queue: DeliveryQueue;
  readonly health: Health;
  /** Undefined where this process does not work. */
  readonly store: Store | undefined;
  readonly reading: Reading | undefined;
  readonly tail: Tail;
  readonly opened: AsyncDisposableStack;
}

export function openAdmin(
  { config, log, metrics, queue, health, store, reading, tail, opened }: AdminParts,
  { admin, adminUrl: url, hasLoopback, works, status, loginCommand, ...own }: Listeners & Own & StatusSources,
) {
  const { adminUrl } = config.alerts;
  const adminToken = openAdminToken(config);
  const loginCodes = createLoginCodes({ clock: Date.now });
  const reads = store && reading && readsOf({ config, log, metrics, queue, store, reading, tail, ...own }, adminToken);
  const app = createAdminApp({
    token: adminToken,
    readToken: config.adminReadToken,
    metricsToken: config.metricsToken,
    loginCodes,
    sessions: store ? sessionsOfMirror({ store, clock: Date.now }) : sessionsOfProcess({ clock: Date.now }),
    loginCommand,
    hostNames: [config.adminHost, ...(adminUrl === undefined ? [] : [new URL(adminUrl).hostname])],
    ...(hasLoopback && (adminUrl === undefined || isLoopback(new URL(adminUrl))) && { ownName: nameFor(adminToken) }),
    clock: Date.now,
    status,
    metrics,
    health,
    ...createAccessLog(log, metrics),
    report: errorLogger(log, 'admin listener'),
    ...(store && reads && { reads, mcp: mcpOf({ config, log, store }, reads) }),
    // Not its own address, which is the default.
    pages: pagesOf({ log, store, adminUrl: adminUrl === url ? undefined : adminUrl }),
  });
  if (admin) {
    admin.serve({
      fetch: (request, env) => app.fetch(request, env),
      // Closing the tail ends the feed streams, which never end by themselves.
      onClosing: () => tail.close(),
      onEvicted: metrics.evicted,
    });
    // Again, because it closes before what it uses.
    opened.defer(() => admin.close());
    const address = writeAddress(config.dataDir, { url, port: admin.port, works });
    opened.defer(() => address.remove());
  }
  return {
    adminPort: admin?.port ?? 0,
    adminUrl: url,
    adminToken,
    loginLink: (validMs?: number) => loginLink(url, loginCodes.make(validMs === undefined ? {} : { validMs })),
  };
}

/** The same after a restart, so that sessions go on. Only who has the token can know it. */
function nameFor(token: string): string {
  const digest = createHmac('sha256', token).update('host name').digest('hex');
  return `slotstream-${digest.slice(0, 32)}.localhost`;
}

type Own = Pick<Roles, 'works'> & Pick<AdminNeeds, 'status' | 'loginCommand'>;

interface StatusSources {
  readonly nowMs: () => number;
  readonly sinks: Sinks['list'];
  readonly installation: Installation;
}

/** The API's operations, loaded with the first request: most processes never get one. */
function readsOf(
  needs: Pick<AdminParts, 'config' | 'log' | 'metrics' | 'tail' | 'queue'> &
    StatusSources & { readonly store: Store; readonly reading: Reading },
  secret: string,
) {
  const { config, log, metrics, store, reading, tail, installation, nowMs } = needs;
  return memoize(async (): Promise<ReadApi> => {
    const { createReadApi } = await import('#src/api/operations.ts');
    const { mirrorProcess } = await import('./mirror-process.ts');
    const { answerRecorder } = await import('./answers.ts');
    const report = errorLogger(log, 'admin listener');
    return createReadApi({
      store,
      reading,
      tail,
      screen: privacyScreen(store.settings),
      signing: config.signing,
      installation,
      clock: nowMs,
      secret,
      report,
      process: mirrorProcess(needs),
      answers: answerRecorder(needs),
      answered: metrics.requested,
      acted: (operation) => log.info({ operation }, 'an operator used the API'),
    });
  });
}

/** The dashboard, loaded with the first page that is opened. */
const pagesOf = ({ log, store, adminUrl }: { log: Log; store: Store | undefined; adminUrl: string | undefined }) =>
  memoize(async (): Promise<Pages> => {
    const { createDashboard } = await import('#src/addons/dashboard/dashboard.ts');
    const report = errorLogger(log, 'dashboard');
    const timezone = () => store?.settings.reportTimezone ?? 'UTC';
    return createDashboard({ version: manifest.version, timezone, adminUrl, clock: Date.now, report });
  });
