// Logs once that the database does not answer, or that the file of SQLite is not in its place, and once that it answers again. Whatever
// fails meanwhile needs no line of its own.
import { describeConnectFailure, SlotstreamError } from '#src/base/errors.ts';
import { duration } from '#src/base/number-text.ts';
import { readPostgresUrl } from '#src/base/postgres-url.ts';
import { minuteMs, secondMs } from '#src/base/time.ts';
import { withTimeout } from '#src/base/timeout.ts';
import type { Config } from '#src/config/load.ts';
import type { Log } from '#src/observability/log.ts';
import type { StoreEngine } from '#src/store/contract.ts';

export interface OutageNeeds {
  readonly config: Pick<Config, 'databaseUrl'>;
  readonly store: { readonly engine: Pick<StoreEngine, 'name' | 'ping'> };
  readonly log: Log;
  readonly askEveryMs?: number;
}

const pingTimeoutMs = 2 * secondMs;

export function watchStore({ config, store: { engine }, log, ...given }: OutageNeeds): Disposable {
  const isServer = engine.name === 'postgres';
  // Host and port only: the URL may have a password.
  const name = isServer ? `PostgreSQL at ${readPostgresUrl(config.databaseUrl).hosts.join(', ')}` : 'SQLite';
  const { askEveryMs = isServer ? 5 * secondMs : minuteMs } = given;
  let downSinceMs: number | undefined;
  let isAsking = false;
  const report = (error: unknown): void => {
    if (error instanceof SlotstreamError) return log.error({ hint: error.hint }, error.message);
    const hint = 'Start it, or check the network. Deliveries wait in the queue.';
    log.error({ cause: describeConnectFailure(error), hint }, `${name} does not answer`);
  };
  const ask = async (): Promise<void> => {
    if (isAsking) return;
    isAsking = true;
    try {
      await withTimeout(engine.ping(), pingTimeoutMs);
      if (downSinceMs !== undefined)
        log.info(`${name} answers again, after ${duration(performance.now() - downSinceMs)}`);
      downSinceMs = undefined;
    } catch (error) {
      if (downSinceMs === undefined) report(error);
      downSinceMs ??= performance.now();
    } finally {
      isAsking = false;
    }
  };
  const timer = setInterval(() => void ask(), askEveryMs).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
