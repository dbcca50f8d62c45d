// `bootstrap`: makes the webhook subscriptions that EVENTS asks for, and shows beforehand what it would do.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { holdsKey } from '#src/app/subscription-watch.ts';
import { openMirror } from '#src/app/mirror.ts';
import { isComplete, type Applied } from '#src/subscriptions/apply.ts';
import { applyAndRecord, inspectSubscriptions } from '#src/subscriptions/bootstrap.ts';
import type { BootstrapNeeds, RecordedResult, Inspection } from '#src/subscriptions/bootstrap.ts';
import { isOurs } from '#src/subscriptions/callback.ts';
import { adviseOperator } from '#src/subscriptions/advisories.ts';
import { callbackOf, callersOf, inputOf, chooseKeys, type ChosenKeys } from '#src/subscriptions/from-config.ts';
import { isPending } from '#src/subscriptions/plan.ts';
import { openRefusalCache } from '#src/subscriptions/refusal-cache.ts';
import type { Config } from '#src/config/load.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import { recheckMs } from '#src/signing/key-ring.ts';
import { takeLock, type ProcessLock } from '#src/base/process-lock.ts';
import { readSubscriptions, writeSubscriptions } from '#src/store/subscription-rows.ts';
import { defaultNeeds } from '#src/upstream/clients.ts';
import { noteGap } from '#workers/sync/reconcile/missed-window.ts';
import { appliedAsJson, appliedAsText, planAsJson, planAsText } from './bootstrap-report.ts';
import { asJson, defineVerb, flag, type VerbContext } from '#src/cli/verb.ts';

/** Longer than a delivery to a healthy receiver takes. */
const arrivalMs = 2_000;

export const bootstrap = defineVerb({
  examples: ['slotstream bootstrap --plan', 'slotstream bootstrap', 'slotstream bootstrap --rotate-key'],
  arguments: {},
  options: {
    plan: { flags: '--plan', help: 'show what would be done; exit 3 when there is something to do', reads: flag },
    prune: { flags: '--prune', help: 'delete subscriptions of ours that nobody wants any more', reads: flag },
    rotateKey: {
      flags: '--rotate-key',
      help: 'register with a new signing key; the old one goes on verifying',
      reads: flag,
    },
    json: asJson,
  },
  async run(context, options) {
    const signal = context.stopping();
    try {
      return await register(context, options);
    } catch (error) {
      if (!signal.aborted) throw error;
      context.say('Stopped. Whatever was made stays; the next run goes on from there.');
      return 1;
    }
  },
});

interface Options {
  readonly plan: boolean;
  readonly prune: boolean;
  readonly rotateKey: boolean;
  readonly json: boolean;
}

async function register(context: VerbContext, { plan, prune, rotateKey, json }: Options): Promise<0 | 3> {
  const config = context.config();
  const signal = context.stopping();
  callbackOf(config);
  const callers = callersOf(config, {}, { reserveShare: 0, signal });
  await using opened = new AsyncDisposableStack();
  if (rotateKey && !plan) opened.adopt(lockRotation(config), (lock) => lock.release());
  const choice = { callers, rotates: rotateKey };
  const imagined = chooseKeys(config, { ...choice, isDry: true });
  const store = opened.use(await openMirror(config, context.log(), { create: true }));
  const needs: BootstrapNeeds = {
    callers,
    lastSeen: {
      read: () => readSubscriptions(store),
      update: ({ seen, deleted }) => writeSubscriptions(store, { seen, deleted }),
    },
    recordGap: (since) => noteGap(store, since),
    refusals: openRefusalCache(config.dataDir),
    now: () => `${context.now().toISOString().slice(0, -1)}000Z`,
    signal,
    pause: () => defaultNeeds.sleep(arrivalMs, signal),
  };
  if (imagined.isNew && !rotateKey) await refuseForeignKey(needs, config, imagined);
  const keys = chooseKeys(config, { ...choice, isDry: plan });
  const situation = await inspectSubscriptions(needs, inputOf(config, keys, { prune }));
  const showing = { config, keys, json };
  if (plan) return showPlan(context, situation, showing);
  // Running receivers read a new key within this time; a delivery signed with it would be refused before.
  if (keys.isNew) await defaultNeeds.sleep(recheckMs * 1.5, signal);
  const applied = await applyAndRecord(needs, situation, keys.keys[0]);
  return showApplied(context, { situation, applied }, showing);
}

interface Showing {
  readonly config: Config;
  readonly keys: ChosenKeys;
  readonly json: boolean;
}

function showPlan(context: VerbContext, situation: Inspection, showing: Showing): 0 | 3 {
  const notes = notesFor(context, situation, { ...showing, existing: situation.input.existing });
  context.out(showing.json ? JSON.stringify(planAsJson(situation, notes)) : planAsText(situation, notes));
  return situation.steps.some(isPending) || hasDeadLogins(situation) ? 3 : 0;
}

function showApplied(
  context: VerbContext,
  { situation, applied }: { readonly situation: Inspection; readonly applied: RecordedResult },
  showing: Showing,
): 0 | 3 {
  const since = applied.missingSince;
  const notes = [
    ...notesFor(context, situation, { ...showing, existing: applied.existing }),
    ...(since === undefined
      ? []
      : [
          `Deliveries since ${since} may be missing. A running process repairs that by itself; else: npx slotstream reconcile --repair`,
        ]),
  ];
  const told = { situation, applied, notes };
  context.out(showing.json ? JSON.stringify(appliedAsJson(told)) : appliedAsText(told));
  if (applied.failure) throw applied.failure.error;
  return isComplete(applied) && !hasDeadLogins(situation) ? 0 : 3;
}

const hasDeadLogins = ({ unlisted }: Inspection): boolean => unlisted.some(({ isLoginExpired }) => isLoginExpired);

function notesFor(
  context: VerbContext,
  situation: Inspection,
  { config, keys, existing }: Showing & { readonly existing: Applied['existing'] },
): readonly string[] {
  return adviseOperator({
    ...situation,
    existing,
    usesOAuth: config.api.oauth !== undefined,
    keySource: keys.source,
    nowMs: context.now().getTime(),
    leftovers: situation.steps.filter(({ kind }) => kind === 'leftover').length,
  });
}

/** A key made here would take over from one that receivers elsewhere verify with: every delivery to them would be refused. */
async function refuseForeignKey(needs: BootstrapNeeds, config: Config, imagined: ChosenKeys): Promise<void> {
  const asked = { ...inputOf(config, imagined, { prune: false }), countsMembers: false };
  const { input } = await inspectSubscriptions(needs, asked);
  const standing = input.existing.filter((one) => one.state === 'active' && isOurs(input.callback, one)).length;
  // Another run here may have made the key meanwhile, and with it what was seen.
  if (standing === 0 || holdsKey(config)) return;
  throw new SlotstreamError(
    'config',
    `There is no signing key in ${imagined.source}, but ${standing} active subscription${standing === 1 ? ' delivers' : 's deliver'} to ${input.callback} already. A key made here would not be that of the receivers, so nothing was changed.`,
    {
      hint: `Copy the file signing-keys of the receivers to ${imagined.source}, or set SIGNING_KEYS to their key. If the key is lost, or to take over from here: npx slotstream bootstrap --rotate-key`,
    },
  );
}

/** Two rotations at once would each end the subscriptions of the other. */
function lockRotation({ dataDir }: Config): ProcessLock {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const lock = takeLock(join(dataDir, 'key-rotation.lock'));
  if (lock === undefined)
    throw new SlotstreamError('busy', 'Another process is rotating the signing key at this moment.', {
      hint: 'Wait until it is done, then look at what it did: npx slotstream bootstrap --plan',
    });
  return lock;
}
