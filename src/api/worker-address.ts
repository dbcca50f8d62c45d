// Where a browser finds the page that it asked of a process without tables: at ADMIN_URL, or at a worker of this machine. Pure.
import { isLoopback } from '#src/base/loopback.ts';
import { rowOf } from '#src/read/health/process-health.ts';
import { isMissing } from '#src/store/process-reports.ts';
import type { ProcessRow } from '#src/store/processes.ts';

/** The base of the address; undefined where it is not known, or is that of the process that was asked. */
export function workerAddress(
  asked: URL,
  {
    adminUrl,
    processes,
    self,
    nowMs,
  }: {
    readonly adminUrl: string | undefined;
    readonly processes: readonly ProcessRow[];
    readonly self: Pick<ProcessRow, 'host' | 'pid'>;
    readonly nowMs: number;
  },
): string | undefined {
  if (adminUrl !== undefined && !isSameListener(new URL(adminUrl), asked)) return adminUrl;
  const own = rowOf(processes, self);
  const worker = processes.find(
    (row) => row.role !== 'receive' && row.admin_url !== '' && row.host === self.host && !isMissing(row, nowMs),
  );
  // Behind a proxy or in a container, the ports of the machine are others.
  if (own === undefined || worker === undefined || new URL(own.admin_url).port !== asked.port) return undefined;
  const address = new URL(worker.admin_url);
  // Not for a name below `localhost`: it is a secret, and browsers send the cookies of a name to every port.
  if (!isLoopback(asked)) address.hostname = asked.hostname;
  return address.origin;
}

const isSameListener = (one: URL, other: URL): boolean =>
  one.port === other.port && (one.hostname === other.hostname || (isLoopback(one) && isLoopback(other)));
