// Which mirror a queue belongs to. The first process that knows the id of its mirror (a worker) writes it into the queue, the first one
// with signing keys (a receiver) their public marks. Who finds another id, or none of its own marks, neither enqueues nor takes anything.
import { slotstream } from '#src/base/command.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import type { Claimant, EngineProblem, QueueNotes, QueueOwner } from './contract.ts';

const prefix = 'owner ';
const mirrorNote = `${prefix}mirror`;
/** Of two receivers that claim at the same time, one writes it. */
const firstKeyNote = `${prefix}first key`;
const keyNote = (mark: string): string => `${prefix}key ${mark}`;

export function queueOwner(notes: QueueNotes): QueueOwner {
  let isOwn: boolean | undefined;

  async function claim(claimant: Claimant): Promise<EngineProblem | undefined> {
    const { mirrorId, receives } = claimant;
    const [firstKey] = claimant.keyMarks;
    const problem = problemOf(await notes.read(), claimant);
    if (problem) return problem;
    if (mirrorId !== undefined) await notes.add(mirrorNote, mirrorId);
    if (firstKey !== undefined) await notes.add(firstKeyNote, firstKey);
    // Another process may have been faster.
    const stored = await notes.read();
    const lost = problemOf(stored, claimant);
    if (lost) return lost;
    if (receives || sharesKey(stored, claimant)) await addMissingKeys(stored, claimant.keyMarks);
    return undefined;
  }

  async function addMissingKeys(stored: ReadonlyMap<string, string>, keyMarks: readonly string[]): Promise<void> {
    const missing = keyMarks.filter((mark) => !marksIn(stored).has(mark));
    for (const mark of missing) await notes.add(keyNote(mark), mark);
  }

  return {
    isOwn: () => isOwn,
    async claim(claimant) {
      const problem = await claim(claimant);
      isOwn = problem === undefined;
      return problem;
    },
    compare: async (claimant) => problemOf(await notes.read(), claimant),
    async addKeys({ mirrorId, keyMarks }) {
      const stored = await notes.read();
      // The first receiver writes the first one.
      if (stored.get(mirrorNote) === mirrorId && stored.has(firstKeyNote)) await addMissingKeys(stored, keyMarks);
    },
    release: async () => notes.remove([...(await notes.read()).keys()].filter((name) => name.startsWith(prefix))),
  };
}

const marksIn = (stored: ReadonlyMap<string, string>): ReadonlySet<string> =>
  new Set(
    [...stored].filter(([name]) => name === firstKeyNote || name.startsWith(keyNote(''))).map(([, mark]) => mark),
  );

/** The id decides where both have one: the same mirror may have exchanged all its keys. */
function problemOf(stored: ReadonlyMap<string, string>, claimant: Claimant): EngineProblem | undefined {
  const { mirrorId, keyMarks } = claimant;
  const owner = stored.get(mirrorNote);
  if (mirrorId !== undefined && owner !== undefined)
    return owner === mirrorId ? undefined : otherMirror(owner, mirrorId);
  const marks = marksIn(stored);
  return keyMarks.length === 0 || marks.size === 0 || sharesKey(stored, claimant) ? undefined : otherKeys;
}

const sharesKey = (stored: ReadonlyMap<string, string>, { keyMarks }: Claimant): boolean =>
  keyMarks.some((mark) => marksIn(stored).has(mark));

const otherMirror = (owner: string, mirrorId: string): EngineProblem => ({
  fatal: true,
  isOther: true,
  message: `The queue at QUEUE_URL belongs to the mirror ${owner}; the database here is the mirror ${mirrorId}. Nothing was read from the queue.`,
  hint: `Give this mirror a queue of its own, for all its processes: add ?name=${suggestedName(mirrorId)} to QUEUE_URL (&name=… after other parameters). Two databases that are copies of each other have the same id.`,
});

const otherKeys: EngineProblem = {
  fatal: true,
  isOther: true,
  message:
    'The queue at QUEUE_URL belongs to another mirror: its receivers verify deliveries with other signing keys. Nothing was added to the queue.',
  hint: `Give QUEUE_URL the address that the workers of this mirror have, or a name of its own, such as ?name=acme. If the signing key was exchanged and no process had both: ${slotstream} settings --release-queue`,
};

/** A part of the id: the same on every process of the mirror. */
const suggestedName = (mirrorId: string): string => `mirror_${mirrorId.replaceAll(/[^a-z0-9]/g, '').slice(0, 8)}`;

export const embeddedHasNoName = (): SlotstreamError =>
  new SlotstreamError('config', 'An embedded queue has no name: its folder belongs to one process.', {
    hint: 'Remove ?name=… from QUEUE_URL, or give the mirror another DATA_DIR.',
  });
