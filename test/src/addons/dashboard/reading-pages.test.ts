// A page that only reads can be understood without the code that receives, folds or asks the service.
import { globSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { productSources } from '../../../reach/modules.ts';
import { rules } from '../../../reach/promises.ts';
import { readProgram } from '../../../reach/reach.ts';

/** Pages with buttons that fold deliveries again, change something at the service, or show how far a backfill is. */
const acting: readonly string[] = [
  'bookings/answer.ts',
  'deliveries/replay-delivery.ts',
  'deliveries/replay.ts',
  'mirror/sync.ts',
];
/** It finds what set a value by folding its entries again. */
const folding = 'why.ts';
const mostLines = 8_000;

const folder = 'src/addons/dashboard/pages';
const program = readProgram(productSources('.'), rules);

function reachedBy(page: string) {
  const { files } = program.reach([`${folder}/${page}`], { followsHanded: false });
  const isOfOthers = (path: string) => path.startsWith('workers/') || path.startsWith('src/upstream/');
  const isFold = (path: string) => page === folding && path.startsWith('workers/fold/');
  return {
    lines: program.linesOf(files),
    ofOthers: [...files].filter((path) => isOfOthers(path) && !isFold(path)),
  };
}

const reading = globSync('**/*.ts', { cwd: folder }).filter((page) => !acting.includes(page));

describe('a reading page', () => {
  it.each(reading)('%s imports nothing of the workers and of what asks the service', (page) => {
    const { lines, ofOthers } = reachedBy(page);
    expect(ofOthers).toEqual([]);
    expect(lines).toBeLessThanOrEqual(mostLines);
  });

  it('is one that can be distinguished from an acting one', () => {
    for (const page of acting) expect([page, reachedBy(page).ofOthers]).not.toEqual([page, []]);
  });
});
