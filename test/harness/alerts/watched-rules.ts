// Rules for tests, from the text of a rules file.
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadRules, type BookingRule, type Ruleset } from '#workers/out/alerts/rules/ruleset.ts';

type LoadOptions = Partial<Omit<Parameters<typeof loadRules>[0], 'file'>>;

/** The rules in a file with this text. */
export async function rulesIn(text: string, options: LoadOptions = {}): Promise<Ruleset> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'slotstream-rules-'));
  const file = join(folder.path, 'rules.json');
  await writeFile(file, text);
  return await loadRules({ graceMs: 0, configured: [], ...options, file });
}

export const rulesOf = (...rules: readonly object[]): Promise<Ruleset> => rulesIn(JSON.stringify({ rules }));

export const bookingRules = async (...rules: readonly object[]): Promise<readonly BookingRule[]> =>
  (await rulesOf(...rules)).bookings;

/** What is wrong with a file, a line for each mistake; none when it can be loaded. */
export const mistakesIn = (text: string, options: LoadOptions = {}): Promise<readonly string[]> =>
  rulesIn(text, options).then(
    () => [],
    (error: Error) => error.message.split('\n').slice(1),
  );
