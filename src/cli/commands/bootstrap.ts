// `bootstrap`: creates the webhook subscriptions that EVENTS requires, or deletes them with `--remove`; `--plan` shows the changes
// without making them.
import { slotstream } from '#src/base/command.ts';
import { join } from 'node:path';
import { arrivalMs, missingNote, notesOn, oldKeyEnd, recordOldKeyEnd } from '#src/app/subscription-plan.ts';
import { addKeysToQueue } from '#src/app/queue-claim.ts';
import { bootstrapNeedsOf, hasSigningKey } from '#src/app/subscription-watch.ts';
import { openMirror, openMirrorOrEmpty } from '#src/app/mirror.ts';
import type { ApplyResult } from '#src/subscriptions/apply.ts';
import { applyAndRecord, inspectSubscriptions, deleteOurs } from '#src/subscriptions/bootstrap.ts';
import type { BootstrapNeeds, RecordedResult, Inspection } from '#src/subscriptions/bootstrap.ts';
import { isOurs } from '#src/subscriptions/callback.ts';
import { findAccount } from '#src/subscriptions/list-existing.ts';
import { callersOf, inputOf, chooseKeys, type ChosenKeys } from '#src/subscriptions/from-config.ts';
import type { Config } from '#src/config/load.ts';
import { requireSettings } from '#src/config/missing-settings.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import { readValue } from '#src/store/key-value.ts';
import { requireSameOrganization } from '#workers/sync/mirror-identity.ts';
import { recheckMs } from '#src/signing/key-ring.ts';
import { holdLock } from '#src/base/process-lock.ts';
import { defaultNeeds } from '#src/upstream/clients.ts';
import { noteMark } from '#src/subscriptions/advisories.ts';
import { describeEvents, describeFamilies, describeOwner } from '#src/subscriptions/describe.ts';
import { askReceiver } from '#src/subscriptions/ask-receiver.ts';
import { reportApplied, reportPlan, type BootstrapReport } from '#src/subscriptions/report.ts';
import { alignColumns, renderTable } from '#src/cli/terminal.ts';
import { printPauses } from '#src/cli/backfill-progress.ts';
import { asJson, defineVerb, flag, unlessStopped, type ValuesOf, type VerbContext } from '#src/cli/verb.ts';

const options = {
  plan: {
    flags: '--plan',
    help: 'show the changes without making them; exit code 3 when there are any',
    reads: flag,
  },
  prune: { flags: '--prune', help: 'delete subscriptions of this callback that are no longer needed', reads: flag },
  rotateKey: {
    flags: '--rotate-key',
    help: 'register with a new signing key; deliveries signed with the old key are still accepted',
    reads: flag,
  },
  remove: {
    flags: '--remove',
    help: 'delete every subscription that calls PUBLIC_URL/webhooks, to uninstall; stop the mirror first',
    reads: flag,
  },
  anyway: {
    flags: '--anyway',
    help: 'register also when nothing answers at PUBLIC_URL from here, or a receiver that cannot prove that it is yours because it verifies nothing',
    reads: flag,
  },
  json: asJson,
} as const;

export const bootstrap = defineVerb({
  examples: [
    'slotstream bootstrap --plan',
    'slotstream bootstrap',
    'slotstream bootstrap --rotate-key',
    'slotstream bootstrap --remove --plan',
  ],
  arguments: {},
  options,
  run: (context, input) =>
    unlessStopped(context, (signal) => (input.remove ? remove : register)(context, input, signal), {
      line: input.remove
        ? 'Stopped. The next run deletes the rest.'
        : input.plan
          ? 'Stopped. A plan changes nothing.'
          : 'Stopped. Subscriptions created so far remain; the next run continues from there.',
      exitCode: 1,
    }),
});

async function register(
  context: VerbContext,
  { plan, prune, rotateKey, anyway, json }: ValuesOf<typeof options>,
  signal: AbortSignal,
): Promise<0 | 3> {
  const config = context.config();
  requireSettings(config, ['API_TOKEN', 'PUBLIC_URL']);
  const callers = callersOf(
    config,
    { onPause: printPauses(context).note },
    { reserveShare: 0, endsIfUnreachable: true, signal },
  );
  await using opened = new AsyncDisposableStack();
  if (rotateKey && !plan) opened.use(holdLock(join(config.dataDir, 'key-rotation.lock'), alreadyRotating));
  const choice = { callers, rotates: rotateKey };
  const imagined = chooseKeys(config, { ...choice, isDry: true });
  // Before a key is stored, or a database is made.
  const { organization } = await findAccount(callers, config.api);
  const open = plan ? openMirrorOrEmpty : openMirror;
  const store = opened.use(await open(config, context.log(), { create: !plan, uses: ['events'] }));
  const { events } = store.settings;
  const needs: BootstrapNeeds = {
    ...bootstrapNeedsOf({ store, now: context.now, signal }, callers),
    pause: () => defaultNeeds.sleep(arrivalMs, signal),
  };
  const account = { origin: callers.main.origin, organization, owner: config.api.groupUri ?? organization };
  await requireSameOrganization(store, account, { claims: false });
  const inspect = (keys: ChosenKeys) => inspectSubscriptions(needs, inputOf(config, keys, { prune, events }));
  const planned = await inspect(imagined);
  if (imagined.isNew && !rotateKey) refuseForeignKey(planned, config, imagined);
  const ended = (await readValue(store, oldKeyEnd))?.ended_at;
  // What is registered already is not asked again: this machine may not reach the address from inside.
  const creates = planned.steps.some(({ kind }) => kind === 'create');
  const asked = creates ? await askReceiver(config, { keys: imagined, now: context.now, signal }) : undefined;
  const showing = { config, json, oldKeyEndedAt: ended };
  if (plan) return showPlan(context, planned, { ...showing, keys: imagined, probed: asked?.note });
  if (asked?.refusal && !(anyway && asked.mayBeOurs)) throw asked.refusal;
  const keys = chooseKeys(config, { ...choice, isDry: false });
  const situation = keys.keys[0] === imagined.keys[0] ? planned : await inspect(keys);
  // Running receivers load a new key within this time. Until then they would reject a delivery signed with it.
  if (keys.isNew) await defaultNeeds.sleep(recheckMs * 1.5, signal);
  await requireSameOrganization(store, account, { claims: true });
  await addKeysToQueue(config, { store, keys: keys.keys, warn: (text) => context.log().warn(text) });
  const applied = await applyAndRecord(needs, situation, keys.keys[0]);
  const oldKeyEndedAt = (await recordOldKeyEnd({ store, now: context.now }, { situation, applied })) ?? ended;
  const probed = asked?.anywayNote;
  return showApplied(context, { situation, applied }, { ...showing, keys, oldKeyEndedAt, probed });
}

/** Needs no identity: it also removes what was registered by mistake with the token of another organization. */
async function remove(
  context: VerbContext,
  { plan, prune, rotateKey, anyway, json }: ValuesOf<typeof options>,
  signal: AbortSignal,
): Promise<0 | 3> {
  if (prune || rotateKey || anyway)
    throw new SlotstreamError('usage', '--remove cannot be combined with --prune, --rotate-key or --anyway.', {
      hint: `${slotstream} bootstrap --remove --plan shows what it would delete.`,
    });
  const config = context.config();
  requireSettings(config, ['API_TOKEN', 'PUBLIC_URL']);
  const callers = callersOf(
    config,
    { onPause: printPauses(context).note },
    { reserveShare: 0, endsIfUnreachable: true, signal },
  );
  const keys = chooseKeys(config, { callers, rotates: false, isDry: true });
  await using store = await openMirrorOrEmpty(config, context.log());
  const needs = {
    ...bootstrapNeedsOf({ store, now: context.now, signal }, callers),
    requireOrganization: undefined,
  };
  const situation = await inspectSubscriptions(needs, {
    ...inputOf(config, keys, { prune, events: store.settings.events }),
    remove: true,
  });
  const showing = { config, keys, json, oldKeyEndedAt: undefined, probed: undefined };
  if (plan) return showPlan(context, situation, showing);
  return showApplied(context, { situation, applied: await deleteOurs(needs, situation) }, showing);
}

interface ReportInput {
  readonly config: Config;
  readonly keys: ChosenKeys;
  readonly json: boolean;
  readonly oldKeyEndedAt: string | undefined;
  /** What was found at the public URL, for people. */
  readonly probed: string | undefined;
}

function showPlan(context: VerbContext, situation: Inspection, showing: ReportInput): 0 | 3 {
  const report = reportPlan(
    situation,
    notesFor(context, situation, { ...showing, existing: situation.input.existing }),
  );
  print(context, report, showing);
  return report.pending || hasDeadLogins(situation) ? 3 : 0;
}

function showApplied(
  context: VerbContext,
  { situation, applied }: { readonly situation: Inspection; readonly applied: RecordedResult },
  showing: ReportInput,
): 0 | 3 {
  const since = applied.missingSince;
  const report = reportApplied(situation, applied, [
    ...notesFor(context, situation, { ...showing, existing: applied.existing }),
    ...(since === undefined ? [] : [missingNote(since)]),
  ]);
  print(context, report, showing);
  const isAnyRegistered = applied.results.some(({ kind }) => ['created', 'found', 'unchanged'].includes(kind));
  if (applied.failure && (applied.isStopped || !isAnyRegistered)) throw applied.failure.error;
  return report.complete && !hasDeadLogins(situation) ? 0 : 3;
}

function print({ out }: VerbContext, report: BootstrapReport, { json }: ReportInput): void {
  if (json) return out(JSON.stringify(report));
  const lines = report.steps.map(({ mark, action, events, scope, owner, why }) => [
    `  ${mark} ${action}`,
    describeFamilies(events),
    describeEvents(events),
    `${describeOwner({ scope, uri: owner })}${why === undefined ? '' : `  (${why})`}`,
  ]);
  const notes = report.notes.map((note) => (note.startsWith(noteMark) ? note : `! ${note.replaceAll('\n', '\n  ')}`));
  const paragraphs = [
    renderTable(['organization', report.organization], [['callback', `${report.callback}?s=…`]]),
    alignColumns(lines).join('\n'),
    report.conclusion,
    notes.join('\n'),
  ];
  out(paragraphs.filter((text) => text !== '').join('\n\n'));
}

const hasDeadLogins = ({ unlisted }: Inspection): boolean => unlisted.some(({ isLoginExpired }) => isLoginExpired);

function notesFor(
  context: VerbContext,
  situation: Inspection,
  { config, keys, existing, oldKeyEndedAt, probed }: ReportInput & { readonly existing: ApplyResult['existing'] },
): readonly string[] {
  const notes = notesOn(situation, { config, keys, existing, oldKeyEndedAt, now: context.now() });
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
