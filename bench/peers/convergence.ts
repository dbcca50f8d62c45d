// Which share of rows ends in the right state when deliveries come in any order, each tenth of them twice.
import { randomOf } from '#src/sandbox/random.ts';
import { startMs, type Change } from './events.ts';
import { drive, type Subject } from './subjects.ts';

const rowsEach = 150;
const bytes = 1200;

/** The changes of one row in the order in which they happened, and the name it must end with; undefined: deleted. */
interface Story {
  readonly changes: readonly Change[];
  readonly ends: string | undefined;
}

type StoryName = 'same_second' | 'deleted' | 'shuffled';

const stories: Readonly<Record<StoryName, (row: string) => Story>> = {
  same_second: (row) => storyOf(row, { apartMs: 150, isDeleted: false }),
  deleted: (row) => storyOf(row, { apartMs: 5_000, isDeleted: true }),
  shuffled: (row) => storyOf(row, { apartMs: 5_000, isDeleted: false }),
};

function storyOf(
  row: string,
  { apartMs, isDeleted }: { readonly apartMs: number; readonly isDeleted: boolean },
): Story {
  const names = ['first', 'second', 'third', 'last'];
  const changes = names.map((name, step): Change => {
    const kind = step === 0 ? 'created' : isDeleted && name === 'last' ? 'deleted' : 'updated';
    return { kind, row, name, atMs: startMs + step * apartMs, bytes };
  });
  return { changes, ends: isDeleted ? undefined : 'last' };
}

/** The share of rows that end in the right state, by story. */
export async function convergence(subject: Subject, connections: number): Promise<Readonly<Record<StoryName, number>>> {
  const shares: Partial<Record<StoryName, number>> = {};
  for (const [name, story] of Object.entries(stories) as [StoryName, (row: string) => Story][]) {
    const rows = Array.from({ length: rowsEach }, (_, index) => `${name}-${index}`);
    const expected = new Map(rows.map((row) => [row, story(row)]));
    const changes = [...expected.values()].flatMap((each) => each.changes);
    const repeated = changes.filter((_, index) => index % 10 === 0);
    const { next } = randomOf('convergence', name);
    const order = [...changes, ...repeated].map((change) => ({ change, at: next() })).toSorted((a, b) => a.at - b.at);
    const shuffled = order.map(({ change }) => change);
    await drive(subject, shuffled, connections);
    const found = await subject.names(rows);
    shares[name] = rows.filter((row) => found.get(row) === expected.get(row)?.ends).length / rows.length;
  }
  return shares as Record<StoryName, number>;
}
