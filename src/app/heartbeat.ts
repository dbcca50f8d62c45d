// Reports this process to the others: it writes its row of `processes` every few seconds, and lists the rows of all.
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { withTimeout } from '#src/base/timeout.ts';
import { instantOf } from '#src/base/time.ts';
import type { Config } from '#src/config/load.ts';
import type { DeliveryQueue } from '#src/queue/contract.ts';
import type { Unit } from '#src/store/contract.ts';
import { connectStore, sqliteFile } from '#src/store/open-store.ts';
import {
  expireProcesses,
  heartbeatMs,
  listProcesses,
  removeProcess,
  writeProcess,
  type ProcessRow,
} from '#src/store/processes.ts';
import manifest from '../../package.json' with { type: 'json' };
import { mergeProcesses } from './read-status.ts';
import type { Roles } from './roles.ts';

export interface Heartbeat {
  /** Every process, this one included; this one alone where the store does not answer. */
  processes(): Promise<readonly ProcessRow[]>;
}

export interface HeartbeatNeeds {
  readonly config: Config;
  readonly roles: Roles;
  readonly adminUrl: string;
  readonly queue: Pick<DeliveryQueue, 'depth'>;
  /** Undefined in a receiver, which connects to the table alone. */
  readonly store: Unit | undefined;
  spooled(): number | undefined;
  lastBatchMs(): number | undefined;
  readonly opened: AsyncDisposableStack;
}

const storeTimeoutMs = 2_000;

export async function startHeartbeat(needs: HeartbeatNeeds): Promise<Heartbeat> {
  const { config, roles, queue, opened } = needs;
  const identity = {
    id: randomUUID(),
    role: roles.receives ? (roles.works ? 'start' : 'receive') : 'work',
    host: hostname(),
    pid: process.pid,
    version: manifest.version,
    admin_url: needs.adminUrl,
    started_at: instantOf(Date.now()),
  };
  const unit = needs.store ?? (await connectToTable(config, opened));

  async function describe(): Promise<ProcessRow> {
    const depth = await withTimeout(queue.depth(), storeTimeoutMs).catch(() => undefined);
    const lastBatchMs = needs.lastBatchMs();
    return {
      ...identity,
      seen_at: instantOf(Date.now()),
      queue: depth ? 'answering' : 'not answering',
      queue_waiting: depth?.waiting ?? null,
      spool_deliveries: needs.spooled() ?? null,
      last_batch_at: lastBatchMs === undefined ? null : instantOf(lastBatchMs),
    };
  }

  if (unit) opened.defer(startBeating(unit, { id: identity.id, describe }));
  return {
    async processes() {
      const stored = unit && (await withTimeout(listProcesses(unit, Date.now()), storeTimeoutMs).catch(() => []));
      return mergeProcesses([...(stored ?? []), await describe()]);
    },
  };
}

/** Returns how to stop. A failure is not reported: the store has checks of its own, and the row shows when it was written last. */
function startBeating(unit: Unit, { id, describe }: { id: string; describe(): Promise<ProcessRow> }) {
  let beating: Promise<void> | undefined;
  const beat = (): void => {
    beating ??= describe()
      .then((row) => writeProcess(unit, row))
      .catch(() => {})
      .finally(() => (beating = undefined));
  };
  beat();
  void expireProcesses(unit, Date.now()).catch(() => {});
  const timer = setInterval(beat, heartbeatMs).unref();
  return async (): Promise<void> => {
    clearInterval(timer);
    const removed = async () => {
      await beating;
      await removeProcess(unit, id);
    };
    await withTimeout(removed(), storeTimeoutMs).catch(() => {});
  };
}

/**
 * A receiver has no store. On PostgreSQL it connects to write its row, and does not wait for the server. A SQLite file is on the machine of
 * its worker, where `status` asks every process itself; writing to it could block the receiver.
 */
async function connectToTable({ databaseUrl }: Config, opened: AsyncDisposableStack): Promise<Unit | undefined> {
  if (sqliteFile(databaseUrl) !== undefined) return undefined;
  const engine = await connectStore({ report: () => {} }, databaseUrl);
  opened.defer(() => engine.close());
  engine.limitSilence(storeTimeoutMs);
  return { db: engine.db, engine };
}
