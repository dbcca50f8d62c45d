// What commands do with the claim on a queue: `bootstrap` adds the keys that it registers, `doctor` compares, `settings` releases it.
import { slotstream } from '#src/base/command.ts';
import type { Config } from '#src/config/load.ts';
import type { DeliveryQueue, EngineProblem } from '#src/queue/contract.ts';
import { isEmbedded, openQueue } from '#src/queue/registry.ts';
import { keyMarkOf, keyMarks } from '#src/signing/key-ring.ts';
import type { Store } from '#src/store/contract.ts';

const ignore = () => undefined;

async function withQueue<T>({ queueUrl: url, dataDir }: Config, use: (queue: DeliveryQueue) => Promise<T>): Promise<T> {
  const queue = await openQueue({ url, dataDir, report: ignore });
  try {
    return await use(queue);
  } finally {
    await queue.close();
  }
}

/** So that receivers that have only the new key may use the queue. An embedded one is compared by the id of the mirror alone. */
export async function addKeysToQueue(
  config: Config,
  {
    store,
    keys,
    warn,
  }: { readonly store: Pick<Store, 'settings'>; readonly keys: readonly string[]; warn(text: string): void },
): Promise<void> {
  if (isEmbedded(config.queueUrl)) return;
  const claimant = { mirrorId: store.settings.id, keyMarks: keys.map(keyMarkOf) };
  try {
    await withQueue(config, (queue) => queue.owner.addKeys(claimant));
  } catch {
    warn(
      `The queue at QUEUE_URL does not answer. If the receivers get a key that they did not have, run this again before: ${slotstream} bootstrap`,
    );
  }
}

export function compareQueue(
  config: Config,
  queue: Pick<DeliveryQueue, 'owner'>,
  store: Pick<Store, 'settings'> | undefined,
): Promise<EngineProblem | undefined> {
  const { signing, dataDir } = config;
  return queue.owner.compare({
    mirrorId: store?.settings.id,
    keyMarks: keyMarks({ keys: signing.keys, dataDir }),
    receives: false,
  });
}

/** The next worker and receiver that start make it theirs. */
export const releaseQueue = (config: Config): Promise<void> => withQueue(config, (queue) => queue.owner.release());
