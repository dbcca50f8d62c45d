// What an operator does once with the service, and undoes in the end: register for webhooks, and copy what exists.
import { openMirror } from '#src/app/mirror.ts';
import { inspectFromConfig } from '#src/app/subscription-watch.ts';
import { slotstream } from '#src/base/command.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import { sleepUnlessAborted } from '#src/base/time.ts';
import type { Config } from '#src/config/load.ts';
import { Report } from '#src/doctor/check.ts';
import { checkPublicUrl } from '#src/doctor/public-url.ts';
import { isOurs } from '#src/subscriptions/callback.ts';
import { backfill } from './commands/backfill.ts';
import { bootstrap } from './commands/bootstrap.ts';
import type { VerbContext } from './verb.ts';

const bootstrapOptions = { plan: false, prune: false, rotateKey: false, json: false };

export async function connect(context: VerbContext, config: Config): Promise<void> {
  const own: VerbContext = { ...context, config: () => config };
  context.notify(`$ ${slotstream} bootstrap`);
  await bootstrap.run(own, bootstrapOptions);
  context.notify(`$ ${slotstream} backfill`);
  await backfill.run(own, { resources: [], restart: false, json: false });
}

/** Also after a stop signal: a second one ends the process. */
async function disconnect(context: VerbContext, config: Config): Promise<void> {
  const own = { ...context, config: () => config, stopping: () => new AbortController().signal };
  context.notify(`$ ${slotstream} bootstrap --remove`);
  await bootstrap.run(own, { ...bootstrapOptions, remove: true });
}

const tryEveryMs = 1_000;
const longestWaitMs = 60_000;

/** Registers an address that is only valid for now: waits until it leads here, and has the subscriptions removed afterwards. */
export async function connectForNow(
  context: VerbContext,
  config: Config,
  { isBeside, afterwards }: { readonly isBeside: boolean; readonly afterwards: AsyncDisposableStack },
): Promise<void> {
  const signal = context.stopping();
  try {
    await untilReached(context, config, signal);
    if (!isBeside) await refuseBesideOthers(context, config, signal);
    signal.throwIfAborted();
  } catch (error) {
    // What the signal interrupts only says that it was interrupted.
    throw signal.aborted ? new SlotstreamError('stopped', 'Stopped before anything was registered.') : error;
  }
  afterwards.defer(() => disconnect(context, config));
  await connect(context, config);
}

async function untilReached({ now }: VerbContext, config: Config, signal: AbortSignal): Promise<void> {
  const endMs = Date.now() + longestWaitMs;
  for (;;) {
    const report = new Report();
    await checkPublicUrl({ config, now }, report);
    const [found] = report.findings;
    if (found?.state === 'ok' || signal.aborted) return;
    if (Date.now() > endMs)
      throw new SlotstreamError('refused', `No test delivery arrived within a minute: ${found?.sentence}`, {
        hint: 'Check that the tunnel leads to PORT and changes nothing.',
      });
    await sleepUnlessAborted(tryEveryMs, signal);
  }
}

async function refuseBesideOthers(context: VerbContext, config: Config, signal: AbortSignal): Promise<void> {
  await using store = await openMirror(config, context.log());
  const { input } = await inspectFromConfig({ config, store, now: context.now, signal });
  const others = input.existing.filter((one) => one.state === 'active' && !isOurs(input.callback, one));
  const origins = [...new Set(others.flatMap(({ callback_url: url }) => URL.parse(url ?? '')?.origin ?? []))];
  if (origins.length === 0) return;
  throw new SlotstreamError('refused', `The service already delivers to ${origins.join(' and ')}.`, {
    hint: `To receive at both addresses, add --beside. If nothing listens there any more: PUBLIC_URL=${origins[0]} ${slotstream} bootstrap --remove`,
  });
}
