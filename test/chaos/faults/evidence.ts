// What faults share: proofs that they happened, frozen processes, connections that pass nothing.
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestProxy } from '../../harness/silent-proxy.ts';
import type { Part } from '../stack.ts';

/** Fails a row whose fault cannot be observed: it would prove nothing. */
export function requireFault(isObserved: boolean, otherwise: string): void {
  if (!isObserved) throw new Error(`The fault did not happen: ${otherwise}.`);
}

/** Deliveries that receivers hold on disk because the queue does not accept them. */
export async function diskLogBytes(receivers: readonly Part[]): Promise<number> {
  let bytes = 0;
  for (const { dataDir } of receivers) bytes += await bytesIn(join(dataDir, 'disk-log'), '.segment');
  return bytes;
}

/** The size of the files under a folder whose names end like this; 0 without the folder. */
export async function bytesIn(folder: string, ending: string): Promise<number> {
  let bytes = 0;
  for (const file of await readdir(folder, { recursive: true }).catch(() => []))
    if (file.endsWith(ending))
      bytes += await stat(join(folder, file)).then(
        ({ size }) => size,
        () => 0, // Removed meanwhile.
      );
  return bytes;
}

export const kib = (bytes: number): string => `${Math.ceil(bytes / 1024)} KiB`;
export const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

/** Processes that neither run nor answer while `during` runs. */
export async function whileFrozen<T>(parts: readonly Part[], during: () => Promise<T>): Promise<T> {
  for (const part of parts) part.signal('SIGSTOP');
  try {
    return await during();
  } finally {
    for (const part of parts) part.signal('SIGCONT');
  }
}

/** The open connections pass nothing any more, and new ones neither while `during` runs. */
export async function whileUnreachable(proxy: TestProxy, during: () => Promise<string>): Promise<string> {
  const hole = proxy.blackHole();
  const observed = await during();
  const inVain = hole.end();
  requireFault(hole.silenced > 0, 'no connection was open');
  requireFault(inVain > 0, 'no new connection was tried');
  return `${hole.silenced} connections passed nothing any more, ${inVain} new ones failed; ${observed}`;
}
