// Lists asked for page by page, and what a deep page costs against the first.
import { createReadApi } from '#src/api/operations.ts';
import { openTail } from '#src/feed/tail.ts';
import type { Store } from '#src/store/contract.ts';
import { privacyScreen } from '#workers/privacy/screen.ts';
import { median } from './measure.ts';

export interface Asked {
  readonly ms: number;
  readonly next: string | null;
  readonly count: number;
}

export type Ask = (address: string) => Promise<Asked>;

export const deepPage = 1_000;
const pairs = 300;

/** Times an answer until its last byte; anything but 200 ends the measurement. */
export const asking =
  (request: (address: string) => Promise<Response> | Response): Ask =>
  async (address) => {
    const startedAt = performance.now();
    const answer = await request(address);
    const text = await answer.text();
    const ms = performance.now() - startedAt;
    if (answer.status !== 200) throw new Error(`${address}: ${answer.status} ${text}`);
    const { pagination } = JSON.parse(text) as { pagination: { next_page: string | null; count: number } };
    return { ms, next: pagination.next_page, count: pagination.count };
  };

/** The API of a store, asked in this process. */
export function openReadApi(store: Store): Disposable & { readonly ask: Ask } {
  const tail = openTail({ lastSeq: async () => 0 });
  const api = createReadApi({
    store,
    tail,
    screen: privacyScreen({ eraseOnDelete: true }),
    clock: Date.now,
    secret: 'bench-secret',
    report: (error) => process.stderr.write(`${String(error)}\n`),
  });
  return { ask: asking(async (address) => api.request(address)), [Symbol.dispose]: () => tail.close() };
}

/** Medians of samples taken in turns, so that whatever else the machine does falls on both. */
export async function pageRatio(ask: Ask, first: string): Promise<number> {
  let deep = first;
  for (let page = 1; page < deepPage; page += 1) {
    const { next } = await ask(deep);
    if (next === null) throw new Error(`${first} has no page ${page + 1}`);
    deep = next;
  }
  const times = { first: [] as number[], deep: [] as number[] };
  for (let pair = 0; pair < pairs; pair += 1) {
    times.first.push((await ask(first)).ms);
    times.deep.push((await ask(deep)).ms);
  }
  return median(times.deep) / median(times.first);
}
