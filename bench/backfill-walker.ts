// A backfill of contacts in a process of its own, so that its memory is its own: `node bench/backfill-walker.ts URL TOKEN FOLDER FIRST`.
// Tells its parent how it stands after the first so many rows, and at the end.
import { join } from 'node:path';
import { instantOf } from '#src/base/time.ts';
import { openStore } from '#src/store/open-store.ts';
import { backfill } from '#workers/sync/backfill/backfill.ts';
import { openSources } from '#workers/sync/sources.ts';
import { privacyScreen } from '#workers/privacy/screen.ts';

const [baseUrl, token, folder = '', first = '0'] = process.argv.slice(2);

/** How it stands: what was walked, how long it took, how much of that it waited, and the most memory it ever held. */
export interface Standing {
  readonly rows: number;
  readonly elapsedMs: number;
  readonly waitedMs: number;
  /** Of the processor. */
  readonly busyMs: number;
  readonly peakMb: number;
}

await using store = await openStore({ report: () => undefined }, `sqlite:${join(folder, 'mirror.db')}`);
const nowhere = { oauth: undefined, organizationUri: undefined, userUri: undefined, groupUri: undefined };
const sources = await openSources(
  { dataDir: folder, api: { baseUrl, token, ...nowhere } },
  { fetch: async (input, init) => withoutLimits(await fetch(input, init)) },
);
const startedMs = performance.now();
const cpuBefore = process.cpuUsage();
let isFirstTold = false;
const tell = (rows: number): void => {
  const peakMb = process.resourceUsage().maxRSS / 1024;
  const elapsedMs = performance.now() - startedMs;
  const { user, system } = process.cpuUsage(cpuBefore);
  const busyMs = (user + system) / 1000;
  process.send?.({ rows, elapsedMs, waitedMs: sources.client.waitedMs, busyMs, peakMb } satisfies Standing);
};
const { resources } = await backfill(
  {
    store,
    sources,
    screen: privacyScreen({ eraseOnDelete: true }),
    now: () => instantOf(new Date()),
    onProgress: (_resource, { rows }) => {
      if (isFirstTold || rows < Number(first)) return;
      isFirstTold = true;
      tell(rows);
    },
    onNotice: () => undefined,
    onOutcome: () => undefined,
  },
  { only: ['contacts'], restart: false, events: ['contact.created'], signal: new AbortController().signal },
);
tell(resources[0]?.counts.rows ?? 0);
process.disconnect?.();

/** The sandbox tells of a limit also where it has none; kept to, it would be what is measured. */
function withoutLimits(answer: Response): Response {
  const headers = new Headers(answer.headers);
  for (const name of ['limit', 'remaining', 'reset']) headers.delete(`x-ratelimit-${name}`);
  return new Response(answer.body, { status: answer.status, headers });
}
