// From a signed request to the committed row, against two sync engines for another service that write to PostgreSQL as well:
// same server, same run, by turns. The figures are medians; the table on stderr has their spread.
import { startServers } from '../cpu.ts';
import { median, type Figure, type Measurement } from '../measure.ts';
import { convergence } from './convergence.ts';
import type { Change } from './events.ts';
import { latencies, latencyFigures } from './latency.ts';
import { hotRows, modes, type Mode } from './modes.ts';
import { reportTables, type Rounds, type Shares } from './report.ts';
import { drive, startOurs, startPeer, type Driven, type Subject, type SubjectName } from './subjects.ts';

const connections = 32;
const rounds = 3;
/** V8 goes on compiling for thousands of deliveries; a process that has run for a minute has that behind it. */
const warmUp = 20 * hotRows;
/** After this no further round begins, so that a slow machine ends too. */
const budgetMs = 270_000;

export const peersBench: Measurement = {
  name: 'peers',
  about: `request to committed row on Redis and PostgreSQL against two sync engines, ${connections} connections`,
  drivesProcesses: true,
  async run() {
    const endBy = Date.now() + budgetMs;
    await using servers = await startServers();
    await using ours = await startOurs(servers);
    await using supabase = await startPeer('supabase', servers);
    await using stripe = await startPeer('stripe', servers);
    const subjects = [ours, supabase, stripe];
    const measured: Rounds[] = [];
    for (const mode of modes) measured.push({ ...mode, driven: await alternate(subjects, mode, endBy) });
    const figures = measured.flatMap(modeFigures);
    const latency = await latencies(ours, measured[0] as Rounds);
    const shares: Shares[] = [];
    for (const subject of subjects) shares.push({ subject, shares: await convergence(subject, connections) });
    process.stderr.write(reportTables({ subjects, measured, latency, shares }));
    return [...figures, ...latencyFigures(latency), ...shares.flatMap(shareFigures)];
  },
};

async function alternate(subjects: readonly Subject[], mode: Mode, endBy: number): Promise<Rounds['driven']> {
  const driven: Record<SubjectName, Driven[]> = { ours: [], supabase: [], stripe: [] };
  const changes = (from: number, count: number) => Array.from({ length: count }, (_, at) => mode.change(from + at));
  for (const subject of subjects) await drive(subject, changes(0, warmUp), { connections });
  for (let round = 0; round < rounds && (round === 0 || Date.now() < endBy); round += 1) {
    process.stderr.write(`peers: ${mode.name}, round ${round + 1} of ${rounds}\n`);
    const batch = changes(warmUp + round * mode.events, mode.events);
    for (let turn = 0; turn < subjects.length; turn += 1) {
      // Each round begins with another one.
      const subject = subjects[(turn + round) % subjects.length] as Subject;
      await subject.database.rows('vacuum analyze');
      driven[subject.name].push(await drive(subject, batch, { connections }));
      await checkRows(subject, batch);
    }
  }
  return driven;
}

/** A rate counts only if the rows are there. */
async function checkRows(subject: Subject, batch: readonly Change[]): Promise<void> {
  const expected = new Map(
    batch.filter(({ isBooking }) => subject.name !== 'ours' || isBooking !== true).map(({ row, name }) => [row, name]),
  );
  const found = await subject.names([...expected.keys()]);
  const wrong = [...expected].filter(([row, name]) => found.get(row) !== name).length;
  if (wrong > 0)
    process.stderr.write(`peers: ${subject.name} has ${wrong} of ${expected.size} rows in a wrong state\n`);
  if (wrong > 0 && subject.name === 'ours') throw new Error('rows are missing');
}

function modeFigures({ name, limit, driven }: Rounds): readonly Figure[] {
  const all = Object.entries(driven);
  const better = driven.supabase.map(({ committedPerSecond }, round) =>
    Math.max(committedPerSecond, driven.stripe[round]?.committedPerSecond ?? 0),
  );
  const ratios = driven.ours.map(({ committedPerSecond }, round) => committedPerSecond / (better[round] ?? Number.NaN));
  return [
    ...all.map(([subject, values]) => ({
      name: `peers.${name}.${subject}_per_second`,
      value: median(values.map(({ committedPerSecond }) => committedPerSecond)),
    })),
    ...all.map(([subject, values]) => ({
      name: `peers.${name}.${subject}_cpu_us`,
      value: median(values.map(({ cpuUs }) => cpuUs)),
      unit: 'µs/event',
    })),
    { name: `peers.${name}.ratio`, value: median(ratios), limit: ['>=', limit] },
  ];
}

function shareFigures({ subject, shares }: Shares): readonly Figure[] {
  return Object.entries(shares).map(([story, share]) => {
    const figure = { name: `peers.right.${story}.${subject.name}`, value: share };
    return subject.name === 'ours' ? { ...figure, limit: ['>=', 1] as const } : figure;
  });
}
