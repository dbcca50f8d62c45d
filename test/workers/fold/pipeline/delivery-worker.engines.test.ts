// The worker of the delivery queue when its store stops answering: it says so, and it goes on.
import { describe, expect, inject, it } from 'vitest';
import { isTransient } from '#src/base/errors.ts';
import { createLog } from '#src/observability/log.ts';
import type { BatchProcessor } from '#src/queue/contract.ts';
import type { Store } from '#src/store/contract.ts';
import { openStore } from '#src/store/open-store.ts';
import { startDeliveryWorker } from '#workers/fold/pipeline/delivery-worker.ts';
import { privacyScreen } from '#workers/fold/privacy/screen.ts';
import { contactDelivery } from '../../../harness/data/contact-deliveries.ts';
import { openProxy } from '../../../harness/silent-proxy.ts';
import { freshMemory, receivedAt, rowsOf } from '../../../harness/stores.ts';
import { copyPostgres } from '../../../harness/templates.ts';

const batch = { v: 1, deliveries: [{ body: contactDelivery({ id: 'ada', version: 1 }), receivedAt }] };

function startWorker(
  store: Store,
  clock: () => number = Date.now,
  log = createLog({ level: 'silent', pretty: false }),
) {
  let process: BatchProcessor | undefined;
  const worker = startDeliveryWorker({
    store,
    screen: privacyScreen({ eraseOnDelete: true }),
    queue: { work: (given) => ((process = given), { close: async () => undefined }) },
    metrics: { projected: () => undefined, visible: () => undefined },
    log,
    clock,
  });
  return {
    worker,
    process: (given: unknown): Promise<void> => process?.(given) ?? Promise.reject(new Error('no worker')),
  };
}

describe('the delivery worker', () => {
  it('is stuck when a batch has been running for a minute and none has ended', async () => {
    await using home = await freshMemory();
    let nowMs = Date.parse(receivedAt);
    const { promise: blocked, resolve: unblock } = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const slow: Store = {
      ...home.store,
      transaction: (work) => (begun.resolve(), blocked.then(() => home.store.transaction(work))),
    };
    const { worker, process } = startWorker(slow, () => nowMs);
    nowMs += 3_600_000;
    expect(worker.isStuck()).toBe(false);
    const running = process(batch);
    await begun.promise;
    nowMs += 60_000;
    expect(worker.isStuck()).toBe(false);
    nowMs += 1;
    expect(worker.isStuck()).toBe(true);
    unblock();
    await running;
    nowMs += 3_600_000;
    expect(worker.isStuck()).toBe(false);
    await worker.close();
  });

  it('logs one line per batch, with counts', async () => {
    await using home = await freshMemory();
    const lines: string[] = [];
    const log = createLog({ level: 'info', pretty: false, destination: { write: (text) => void lines.push(text) } });
    const { worker, process } = startWorker(home.store, () => Date.parse(receivedAt), log);
    await process({ v: 1, deliveries: [...batch.deliveries, { body: 'not JSON', receivedAt }] });
    await worker.close();
    const counts = { deliveries: 2, applied: 1, quarantined: 1, duplicates: 0, ms: 0 };
    expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([
      { ...counts, batches: [expect.stringMatching(/^[0-9a-f]{12}$/)] },
    ]);
  });

  it.runIf(inject('postgresUrl'))(
    'fails a batch as transient when its connections die silently, and stores it with the next attempt',
    async () => {
      await using proxy = await openProxy(await copyPostgres());
      await using store = await openStore({ report: () => undefined }, proxy.url);
      store.engine.limitSilence(500);
      const { worker, process } = startWorker(store);
      await store.engine.ping();
      proxy.silence();
      // Several pooled connections may have died.
      await expect(process(batch)).rejects.toSatisfy(isTransient);
      await process(batch);
      expect(await rowsOf(store, 'contacts')).toHaveLength(1);
      await worker.close();
    },
  );
});
