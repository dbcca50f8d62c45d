// `settings`: shows what all processes of the mirror share beside what this environment states; `--apply` changes the mirror.
import { openMirror } from '#src/app/mirror.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import { releaseQueue } from '#src/app/queue-claim.ts';
import { slotstream } from '#src/base/command.ts';
import { instantOf } from '#src/base/time.ts';
import type { Store } from '#src/store/contract.ts';
import { applySettings, readAccount } from '#src/store/settings-row.ts';
import { settingNames, variableOf, type SettingConflict, type StatedSettings } from '#src/store/shared-settings.ts';
import { renderTable } from '#src/cli/terminal.ts';
import { asJson, defineVerb, flag } from '#src/cli/verb.ts';

export const settings = defineVerb({
  examples: ['slotstream settings', 'slotstream settings --apply', 'slotstream settings --release-queue'],
  notes: [
    'The first worker writes the settings. A worker or a command whose environment states another value ends with exit code 3.',
    'To change one everywhere: apply it, then change the environments. Running processes follow within a minute.',
  ],
  arguments: {},
  options: {
    apply: { flags: '--apply', help: 'write what this environment states into the mirror', reads: flag },
    releaseQueue: {
      flags: '--release-queue',
      help: 'let the queue at QUEUE_URL belong to the next mirror that uses it; stop the processes of this one first',
      reads: flag,
    },
    json: asJson,
  },
  async run(context, { apply, releaseQueue: releases, json }) {
    if (releases) {
      if (apply) throw new SlotstreamError('usage', '--release-queue cannot be combined with --apply.');
      await releaseQueue(context.config());
      context.out(
        json
          ? '{"released":true}'
          : 'The queue at QUEUE_URL belongs to the next mirror whose worker or receiver starts.',
      );
      return 0;
    }
    const { stated, unknownSettings } = context.config();
    const unknown = unknownSettings.map((text) => `! ${text}`);
    await using store = await openMirror(context.config(), context.log());
    const changed = store.settings.conflictsWith(stated);
    if (apply) {
      await applySettings(store, stated, instantOf(context.now()));
      await store.refreshViews();
    }
    const shown = await describe(store, stated);
    if (json) context.out(JSON.stringify({ ...shown, ...(apply && { changed }) }));
    else for (const line of [...linesOf(shown, apply ? changed : undefined), ...unknown]) context.out(line);
    return shown.settings.some(({ differs }) => differs) ? 3 : 0;
  },
});

type Shown = Awaited<ReturnType<typeof describe>>;

async function describe({ db, engine, settings: shared }: Store, stated: StatedSettings) {
  const { origin, organization, owner } = await readAccount({ db, engine });
  const conflicts = shared.conflictsWith(stated);
  return {
    id: shared.id,
    origin,
    organization,
    owner,
    isSettled: shared.isSettled,
    settings: settingNames.map((name) => {
      const conflict = conflicts.find(({ variable }) => variable === variableOf[name]);
      const here = stated[name] === undefined ? null : (conflict?.here ?? shared.texts[name]);
      return { name: variableOf[name], mirror: shared.texts[name], here, differs: conflict !== undefined };
    }),
  };
}

function linesOf({ id, organization, owner, isSettled, settings: rows }: Shown, changed?: readonly SettingConflict[]) {
  const differing = rows.filter(({ differs }) => differs).map(({ name }) => name);
  return [
    renderTable(
      ['setting', 'mirror', 'here'],
      rows.map(({ name, mirror, here }) => [name, mirror, here ?? '–']),
    ),
    '',
    `mirror        ${id}`,
    `organization  ${organization ?? `unknown before ${slotstream} bootstrap or backfill`}`,
    ...(owner === null || owner === organization ? [] : [`registered for  ${owner}`]),
    ...(isSettled ? [] : ['No worker has run yet: the first one writes these settings.']),
    ...(changed === undefined ? [] : appliedLines(changed)),
    ...(differing.length === 0
      ? []
      : [`! ${differing.join(', ')}: this environment differs. To change the mirror: ${slotstream} settings --apply`]),
  ];
}

/** What the operator does next, where a running process does not do it. */
const nextSteps: Readonly<Record<string, string>> = {
  ERASE_ON_DELETE: `Contacts that were deleted before: ${slotstream} reconcile --repair`,
  EVENTS: `The webhook subscriptions: ${slotstream} bootstrap --plan`,
  RETENTION_DAYS: `Workers prune the log within a minute; to do it now: ${slotstream} retention`,
};

function appliedLines(changed: readonly SettingConflict[]): readonly string[] {
  if (changed.length === 0) return ['Nothing was changed: this environment states no other value.'];
  return [
    ...changed.map(({ variable, here, mirror }) => `${variable}: ${mirror} → ${here}`),
    'Running processes follow within a minute. Set the same in their environments before they start again.',
    ...changed.flatMap(({ variable, here }) => (here === 'off' ? [] : (nextSteps[variable] ?? []))),
  ];
}
