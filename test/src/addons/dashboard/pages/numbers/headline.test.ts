// The headline of Numbers and No-shows: a range only where it helps, and a request to answer only where something is unknown.
import { expect, it } from 'vitest';
import { askText, countsText, rateText } from '#src/addons/dashboard/pages/numbers/headline.ts';
import { endedCounts } from '#src/read/ended-counts.ts';

const [one, many] = ['Answer the unknown one.', 'Answer the unknown ones.'];

it.each([
  [40, 9, 0, '31 came, 9 missed, 0 unknown. The no-show rate is 22.5%. '],
  [40, 9, 3, `28 came, 9 missed, 3 unknown. The no-show rate is between 22.5% and 30%, 3 unanswered. ${many}`],
  [40, 9, 29, `2 came, 9 missed, 29 unknown. At least 22.5% were missed. ${many}`],
  [4, 1, 1, `2 came, 1 missed, 1 unknown. These are too few for a no-show rate. ${one}`],
])('of %i meetings, %i missed and %i unknown', async (meetings, missed, unknown, text) => {
  const counts = endedCounts(meetings, missed, unknown);
  const shown = `${String(await countsText(counts))}. ${String(await rateText(counts))} ${String(await askText(counts, '/list'))}`;
  expect(shown.replaceAll(/<[^>]+>/g, '')).toBe(text);
});
