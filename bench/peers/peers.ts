// From a signed request to the committed row, against two sync engines for another service that write to PostgreSQL as well:
// same server, same run, by turns. The figures are medians of the rounds.
import { medianFigure, type Figure, type Measurement } from '../measure.ts';
import { startServers } from '../mirror.ts';
import { convergence } from './convergence.ts';
import type { Change } from './events.ts';
import { hotRows, modes, type Mode } from './modes.ts';
import {
  drive,
  startPeer,
  startSeparate,
  startSingle,
  type Drive,
  type OurName,
  type Subject,
  type SubjectName,
} from './subjects.ts';

const connections = 32;
const rounds = 5;
/** V8 goes on compiling for thousands of deliveries; a process that has run for a minute has that behind it. */
const warmUp = 20 * hotRows;
/** After this no further round begins, so that a slow machine ends too. */
const budgetMs = 900_000;

export const peersBench: Measurement = {
  name: 'peers',
  about: `request to committed row on PostgreSQL, separate processes and a single one, against two sync engines, ${connections} connections`,
  drivesProcesses: true,
  async run() {
    const endBy = Date.now() + budgetMs;
    await using servers = await startServers();
    await using ours = await startSeparate(servers);
    await using single = await startSingle(servers);
    await using supabase = await startPeer('supabase', servers);
    await using stripe = await startPeer('stripe', servers);
    const subjects = [ours, single, supabase, stripe];
    const figures: Figure[] = [];
    for (const mode of modes) figures.push(...modeFigures(mode, await alternate(subjects, mode, endBy)));
    for (const subject of subjects) figures.push(...shareFigures(subject, await convergence(subject, connections)));
    return figures;
  },
};

type Rounds = Readonly<Record<SubjectName, readonly Drive[]>>;

async function alternate(subjects: readonly Subject[], mode: Mode, endBy: number): Promise<Rounds> {
  const drives: Record<SubjectName, Drive[]> = { ours: [], single: [], supabase: [], stripe: [] };
  const changes = (from: number, count: number) => Array.from({ length: count }, (_, at) => mode.change(from + at));
  for (const subject of subjects) await drive(subject, changes(0, warmUp), connections);
  for (let round = 0; round < rounds && (round === 0 || Date.now() < endBy); round += 1) {
    process.stderr.write(`peers: ${mode.name}, round ${round + 1} of ${rounds}\n`);
    const batch = changes(warmUp + round * mode.events, mode.events);
    for (let turn = 0; turn < subjects.length; turn += 1) {
      // Each round begins with another one.
      const subject = subjects[(turn + round) % subjects.length] as Subject;
      await subject.database.rows('vacuum analyze');
      drives[subject.name].push(await drive(subject, batch, connections));
      await checkRows(subject, batch);
    }
  }
  return drives;
}

/** A rate counts only if the rows are there. */
async function checkRows(subject: Subject, batch: readonly Change[]): Promise<void> {
  const expected = new Map(
    batch.filter(({ isBooking }) => !subject.isOurs || isBooking !== true).map(({ row, name }) => [row, name]),
  );
  const found = await subject.names([...expected.keys()]);
  const wrong = [...expected].filter(([row, name]) => found.get(row) !== name).length;
  if (wrong > 0)
    process.stderr.write(`peers: ${subject.name} has ${wrong} of ${expected.size} rows in a wrong state\n`);
  if (wrong > 0 && subject.isOurs) throw new Error('rows are missing');
}

function modeFigures({ name, limits }: Mode, drives: Rounds): readonly Figure[] {
  const ratios = (ours: OurName): readonly number[] =>
    drives[ours].map(({ committedPerSecond }, round) => {
      const others = [drives.supabase[round], drives.stripe[round]].map((other) => other?.committedPerSecond ?? 0);
      return committedPerSecond / Math.max(...others);
    });
  /** How many times our processor time the leaner engine takes. */
  const leanness = (ours: OurName): readonly number[] =>
    drives[ours].map(({ cpuUs }, round) => {
      const others = [drives.supabase[round], drives.stripe[round]].map((other) => other?.cpuUs ?? 0);
      return Math.min(...others) / cpuUs;
    });
  return [
    ...Object.entries(drives).flatMap(([subject, all]) => {
      const figure = (of: keyof Drive) => all.map((one) => one[of]);
      return [
        medianFigure(`peers.${name}.${subject}_per_second`, figure('committedPerSecond')),
        medianFigure(`peers.${name}.${subject}_cpu_us`, figure('cpuUs'), { unit: 'µs/event' }),
        medianFigure(`peers.${name}.${subject}_response_p99_ms`, figure('p99Ms'), { unit: 'ms' }),
      ];
    }),
    medianFigure(`peers.${name}.ratio`, ratios('ours'), { limit: ['>=', limits.ours] }),
    medianFigure(`peers.${name}.single_ratio`, ratios('single'), { limit: ['>=', limits.single] }),
    medianFigure(`peers.${name}.cpu_ratio`, leanness('ours')),
  ];
}

function shareFigures({ name, isOurs }: Subject, shares: Readonly<Record<string, number>>): readonly Figure[] {
  return Object.entries(shares).map(([story, share]) => {
    const figure = { name: `peers.right.${story}.${name}`, value: share };
    return isOurs ? { ...figure, limit: ['>=', 1] as const } : figure;
  });
}
