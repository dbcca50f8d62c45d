// Rules for tests of the watcher, from the text of a rules file.
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadRules, type BookingRule, type Ruleset } from '#workers/alerts/rules/ruleset.ts';

export async function rulesOf(...rules: readonly object[]): Promise<Ruleset> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'slotstream-rules-'));
  const file = join(folder.path, 'rules.json');
  await writeFile(file, JSON.stringify({ rules }));
  return await loadRules({ file, graceMs: 0, configured: [] });
}

export const bookingRules = async (...rules: readonly object[]): Promise<readonly BookingRule[]> =>
  (await rulesOf(...rules)).bookings;
