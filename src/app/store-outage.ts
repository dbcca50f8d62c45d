// Logs once that the database does not answer, and once that it answers again. Whatever fails meanwhile needs no line of its own.
import { describeConnectFailure } from '#src/base/errors.ts';
import { duration } from '#src/base/number-text.ts';
import { secondMs } from '#src/base/time.ts';
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

export function watchStore({ config, store: { engine }, log, askEveryMs = 5 * secondMs }: OutageNeeds): Disposable {
  // Host and port only: the URL may have a password. A SQLite file is always there.
  const name = `PostgreSQL at ${URL.parse(config.databaseUrl)?.host || 'the local socket'}`;
  let downSinceMs: number | undefined;
  let isAsking = false;
  const ask = async (): Promise<void> => {
    if (isAsking) return;
    isAsking = true;
    try {
      await withTimeout(engine.ping(), pingTimeoutMs);
      if (downSinceMs !== undefined)
        log.info(`${name} answers again, after ${duration(performance.now() - downSinceMs)}`);
      downSinceMs = undefined;
    } catch (error) {
      if (downSinceMs === undefined)
        log.error(
          {
            cause: describeConnectFailure(error),
            hint: 'Start it, or check the network. Deliveries wait in the queue.',
          },
          `${name} does not answer`,
        );
      downSinceMs ??= performance.now();
    } finally {
      isAsking = false;
    }
  };
  const timer = engine.name === 'postgres' ? setInterval(() => void ask(), askEveryMs).unref() : undefined;
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
