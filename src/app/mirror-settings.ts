// What a process compares with the mirror before it works: the settings that all processes share, and the account.
import { slotstream } from '#src/base/command.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import type { SettingName, SharedSettings, StatedSettings } from '#src/store/shared-settings.ts';

/** Refuses an environment that states another value than the mirror has for a setting that the caller acts by. */
export function requireSameSettings(
  settings: SharedSettings,
  stated: StatedSettings,
  uses: readonly SettingName[],
): void {
  const conflicts = settings.conflictsWith(stated, uses);
  if (conflicts.length === 0) return;
  const lines = conflicts.map(
    ({ variable, here, mirror }) => `${variable} is ${here} here, and ${mirror} in the mirror`,
  );
  throw new SlotstreamError('other_settings', `The settings differ from those of the mirror:\n${lines.join('\n')}`, {
    hint: `To follow the mirror, remove ${conflicts.length === 1 ? 'it' : 'them'} from this environment. To change the mirror for all processes: ${slotstream} settings --apply`,
  });
}
