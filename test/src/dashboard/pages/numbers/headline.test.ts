// The headline of Numbers and No-shows: a range only where it helps, and a request to answer only where something is unknown.
import { expect, it } from 'vitest';
import { askText, countsText, rateText } from '#src/dashboard/pages/numbers/headline.ts';
import { missedOf } from '#src/read/numbers/no-show-counts.ts';

it.each([
  { meetings: 40, missed: 9, unknown: 0, text: '31 held, 9 missed, 0 unknown. The no-show rate is 22.5%. ' },
  {
    meetings: 40,
    missed: 9,
    unknown: 3,
    text: '28 held, 9 missed, 3 unknown. The no-show rate is between 22.5% and 30%, 3 unanswered. Answer the unknown ones.',
  },
  {
    meetings: 40,
    missed: 9,
    unknown: 29,
    text: '2 held, 9 missed, 29 unknown. At least 22.5% were missed. Answer the unknown ones.',
  },
  {
    meetings: 4,
    missed: 1,
    unknown: 1,
    text: '2 held, 1 missed, 1 unknown. These are too few for a no-show rate. Answer the unknown one.',
  },
])('$unknown unknown of $meetings meetings', async ({ meetings, missed, unknown, text }) => {
  const counts = missedOf(meetings, missed, unknown);
  const shown = `${String(await countsText(counts))}. ${String(await rateText(counts))} ${String(await askText(counts, '/list'))}`;
  expect(shown.replaceAll(/<[^>]+>/g, '')).toBe(text);
});
