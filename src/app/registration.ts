// Registers for the webhooks that EVENTS requires, shows what that would change, or deletes what was registered: for `bootstrap` and for
// programs that have the mirror in their own process.
import { join } from 'node:path';
import { slotstream } from '#src/base/command.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import { holdLock } from '#src/base/process-lock.ts';
import type { Config } from '#src/config/load.ts';
import { requireSettings } from '#src/config/missing-settings.ts';
import type { Log } from '#src/observability/log.ts';
import { recheckMs } from '#src/signing/key-ring.ts';
import { readValue } from '#src/store/key-value.ts';
import type { ApplyResult } from '#src/subscriptions/apply.ts';
import {
  applyAndRecord,
  deleteOurs,
  inspectSubscriptions,
  type BootstrapNeeds,
  type Inspection,
  type RecordedResult,
} from '#src/subscriptions/bootstrap.ts';
import { askReceiver } from '#src/subscriptions/ask-receiver.ts';
import { isOurs } from '#src/subscriptions/callback.ts';
import { callersOf, chooseKeys, inputOf, type ChosenKeys } from '#src/subscriptions/from-config.ts';
import { findAccount } from '#src/subscriptions/list-existing.ts';
import { reportApplied, reportPlan, type BootstrapReport } from '#src/subscriptions/report.ts';
import { defaultNeeds, type UpstreamNeeds } from '#src/upstream/clients.ts';
import { retryBudgets } from '#src/upstream/retry-budgets.ts';
import { requireSameOrganization } from '#workers/sync/mirror-identity.ts';
import { openMirror, openMirrorOrEmpty } from './mirror.ts';
import { addKeysToQueue } from './queue-claim.ts';
import { arrivalMs, missingNote, notesOn, oldKeyEnd, recordOldKeyEnd } from './subscription-plan.ts';
import { bootstrapNeedsOf, hasSigningKey } from './subscription-watch.ts';

export interface RegistrationNeeds {
  readonly config: Config;
  readonly log: () => Log;
  readonly now: () => Date;
  readonly signal: AbortSignal;
  readonly onPause?: UpstreamNeeds['onPause'];
  /** Something else waits: a service that fails is asked again for seconds only. */
  readonly isShort?: boolean;
}

export interface RegistrationOptions {
  /** Only shows the changes. */
  readonly plan?: boolean;
  readonly prune?: boolean;
  readonly rotateKey?: boolean;
  /** Registers also where nothing answers at the public URL, or a receiver that can prove nothing. */
  readonly anyway?: boolean;
}

export interface Registration {
  readonly report: BootstrapReport;
  /** Every event arrives, or nothing is left to do; for a plan, it changes nothing. */
  readonly isDesired: boolean;
  /** Why nothing is registered, or why it ended early. */
  readonly failure: unknown;
}

export async function register(
  given: RegistrationNeeds,
  { plan = false, prune = false, rotateKey = false, anyway = false }: RegistrationOptions,
): Promise<Registration> {
  const { config, log, now, signal } = given;
  const callers = callersFor(given);
  await using opened = new AsyncDisposableStack();
  if (rotateKey && !plan) opened.use(holdLock(join(config.dataDir, 'key-rotation.lock'), alreadyRotating));
  const choice = { callers, rotates: rotateKey };
  const imagined = chooseKeys(config, { ...choice, isDry: true });
  // Before a key is stored, or a database is made.
  const { organization, user } = await findAccount(callers, config.api);
  const open = plan ? openMirrorOrEmpty : openMirror;
  const store = opened.use(await open(config, log(), { create: !plan, uses: ['events'] }));
  const { events } = store.settings;
  const needs: BootstrapNeeds = {
    ...bootstrapNeedsOf({ store, now, signal }, callers),
    pause: () => defaultNeeds.sleep(arrivalMs, signal),
  };
  const account = { origin: callers.main.origin, organization, owner: config.api.groupUri ?? organization, user };
  await requireSameOrganization(store, account, { claims: false });
  const inspect = (keys: ChosenKeys) => inspectSubscriptions(needs, inputOf(config, keys, { prune, events }));
  const imaginedChanges = await inspect(imagined);
  if (imagined.isNew && !rotateKey) refuseForeignKey(imaginedChanges, config, imagined);
  const ended = (await readValue(store, oldKeyEnd))?.ended_at;
  // What is registered already is not asked again: this machine may not reach the address from inside.
  const creates = imaginedChanges.steps.some(({ kind }) => kind === 'create');
  const asked = creates ? await askReceiver(config, { keys: imagined, now, signal }) : undefined;
  const noted = { config, oldKeyEndedAt: ended, now };
  if (plan) return planned(imaginedChanges, { ...noted, keys: imagined, probed: asked?.note });
  if (asked?.refusal && !(anyway && asked.mayBeOurs)) throw asked.refusal;
  const keys = chooseKeys(config, { ...choice, isDry: false });
  const situation = keys.keys[0] === imagined.keys[0] ? imaginedChanges : await inspect(keys);
  // Running receivers load a new key within this time. Until then they would reject a delivery signed with it.
  if (keys.isNew) await defaultNeeds.sleep(recheckMs * 1.5, signal);
  await requireSameOrganization(store, account, { claims: true });
  await addKeysToQueue(config, { store, keys: keys.keys, warn: (text) => log().warn(text) });
  const applied = await applyAndRecord(needs, situation, keys.keys[0]);
  const oldKeyEndedAt = (await recordOldKeyEnd({ store, now }, { situation, applied })) ?? ended;
  return done({ situation, applied }, { ...noted, keys, oldKeyEndedAt, probed: asked?.anywayNote });
}

/** Needs no identity: it also removes what was registered by mistake with the token of another organization. */
export async function unregister(
  given: RegistrationNeeds,
  { plan = false }: Pick<RegistrationOptions, 'plan'>,
): Promise<Registration> {
  const { config, log, now, signal } = given;
  const callers = callersFor(given);
  const keys = chooseKeys(config, { callers, rotates: false, isDry: true });
  await using store = await openMirrorOrEmpty(config, log());
  const needs = {
    ...bootstrapNeedsOf({ store, now, signal }, callers),
    requireOrganization: undefined,
  };
  const situation = await inspectSubscriptions(needs, {
    ...inputOf(config, keys, { prune: false, events: store.settings.events }),
    remove: true,
  });
  const noted = { config, keys, oldKeyEndedAt: undefined, now, probed: undefined };
  if (plan) return planned(situation, noted);
  return done({ situation, applied: await deleteOurs(needs, situation) }, noted);
}

function callersFor({ config, onPause, isShort = false, signal }: RegistrationNeeds) {
  requireSettings(config, ['API_TOKEN', 'PUBLIC_URL']);
  return callersOf(config, onPause ? { onPause } : {}, {
    reserveShare: 0,
    endsIfUnreachable: true,
    ...(isShort && { retryBudget: retryBudgets.short }),
    signal,
  });
}

interface NoteInput {
  readonly config: Config;
  readonly keys: ChosenKeys;
  readonly oldKeyEndedAt: string | undefined;
  readonly now: () => Date;
  /** What was found at the public URL, for people. */
  readonly probed: string | undefined;
}

function planned(situation: Inspection, noted: NoteInput): Registration {
  const report = reportPlan(situation, notesFor(situation, { ...noted, existing: situation.input.existing }));
  return { report, isDesired: !report.pending && !hasDeadLogins(situation), failure: undefined };
}

function done(
  { situation, applied }: { readonly situation: Inspection; readonly applied: RecordedResult },
  noted: NoteInput,
): Registration {
  const since = applied.missingSince;
  const report = reportApplied(situation, applied, [
    ...notesFor(situation, { ...noted, existing: applied.existing }),
    ...(since === undefined ? [] : [missingNote(since)]),
  ]);
  const isAnyRegistered = applied.results.some(({ kind }) => ['created', 'found', 'unchanged'].includes(kind));
  const hasFailed = applied.failure && (applied.isStopped || !isAnyRegistered);
  return {
    report,
    isDesired: report.complete && !hasDeadLogins(situation),
    failure: hasFailed ? applied.failure?.error : undefined,
  };
}

const hasDeadLogins = ({ unlisted }: Inspection): boolean => unlisted.some(({ isLoginExpired }) => isLoginExpired);

function notesFor(
  situation: Inspection,
  { now, probed, ...noted }: NoteInput & { readonly existing: ApplyResult['existing'] },
): readonly string[] {
  const notes = notesOn(situation, { ...noted, now: now() });
  return probed === undefined ? notes : [...notes, probed];
}

/** Refuses to generate a key while receivers elsewhere use another one: they would reject every delivery signed with it. */
function refuseForeignKey({ input }: Inspection, config: Config, imagined: ChosenKeys): void {
  const active = input.existing.filter((one) => one.state === 'active' && isOurs(input.callback, one)).length;
  // Another run on this machine may have created the key and these subscriptions in the meantime.
  if (active === 0 || hasSigningKey(config)) return;
  throw new SlotstreamError(
    'config',
    `There is no signing key in ${imagined.source}, but ${active} active subscription${active === 1 ? ' already delivers' : 's already deliver'} to ${input.callback}. A key generated here would differ from the receivers' key, so nothing was changed.`,
    {
      hint: `Copy the receivers' file signing-keys to ${imagined.source}, or set SIGNING_KEYS to their key. If the key is lost, or to take over with a new one, stop them, then: ${slotstream} bootstrap --rotate-key --anyway`,
    },
  );
}

/** Two concurrent rotations would delete each other's subscriptions. */
const alreadyRotating = new SlotstreamError('busy', 'Another process is rotating the signing key.', {
  hint: `Wait until it has finished, then check the result: ${slotstream} bootstrap --plan`,
});
