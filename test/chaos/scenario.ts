// A scenario: an installation under load, one fault, and the verdict of the oracle.
import { setTimeout as sleep } from 'node:timers/promises';
import { succeeds, until } from '../harness/ports.ts';
import { openAlertInbox, startMissedMeetings, webhookSecret, type AlertInbox } from './alerts.ts';
import { history, type HistoryOptions } from './load/history.ts';
import { randomOf, type Random } from './load/random.ts';
import { isAccepted } from '../harness/mirror/sender.ts';
import { startLoad, type Load } from './load/sender.ts';
import { canaries } from './load/world.ts';
import { countLogged, isDrained, judge, type Verdict } from './oracle/judge.ts';
import { temporaryFolder, type InstallationOf } from './engines.ts';
import { startStack, type Engines, type Part, type Settings, type Size, type Stack } from './stack.ts';

/** What a fault can use. */
export interface Run<E extends Engines> {
  readonly engines: E;
  readonly stack: Stack;
  readonly load: Load;
  /** Repeatable by the seed of the row. */
  readonly random: Random;
  /** Deliveries go on arriving meanwhile. */
  readonly wait: (ms: number) => Promise<unknown>;
  /** Addresses that the scenario erased by command. */
  readonly erased: string[];
  /** Says that the fault is over, when collecting the evidence takes longer. */
  readonly ended: () => void;
}

interface Options {
  readonly settings?: Settings;
  readonly perSecond?: number;
  /** At most so many; enough for the time of a scenario unless given. */
  readonly deliveries?: number;
  readonly history?: Pick<HistoryOptions, 'hotContacts' | 'poison'>;
  /** Why this machine cannot run it; undefined when it can. */
  readonly obstacle?: () => Promise<string | undefined>;
}

export interface Scenario {
  readonly name: string;
  readonly on: string;
  obstacle(): Promise<string | undefined>;
  /** `size` is another one than that of `npm run chaos`. An error has the outputs of the processes as its cause. */
  run(seed: number, size?: Size & { readonly perSecond?: number }): Promise<Row>;
}

export interface Row {
  readonly name: string;
  readonly on: string;
  readonly seed: number;
  readonly verdict: Verdict;
  /** From the end of the fault until the log is level with what was acknowledged. */
  readonly recoveryMs: number;
  /** Of answers with 2xx. */
  readonly p99Ms: number;
  /** No-shows that were marked, and those that were reported under one key. */
  readonly alerts: { readonly expected: number; readonly reported: number };
  readonly evidence: string;
  readonly seconds: number;
  /** Empty when the row passed. */
  readonly failures: readonly string[];
  readonly outputs: Readonly<Record<string, string>>;
}

/** Two installations at this rate fit on two cores. */
const defaultPerSecond = 30;
const beforeFaultMs = 2_000;
const afterRecoveryMs = 2_000;
const recoveryLimitMs = 90_000;
const retryLimitMs = 60_000;
const drainLimitMs = 90_000;
/** The lease of the watcher and the claim of a sender that was killed expire before. */
const alertLimitMs = 60_000;
const readyLimitMs = 30_000;
/** The history happened before the run, at less than this per delivery. An erasure covers only the past. */
const historyMsPerDelivery = 1_500;
/** More than any scenario lasts, unless the machine is very busy. */
const historySeconds = 150;

/**
 * `name`: what happens, to what, how often. `fault` injects the fault, ends it, and answers the evidence that it happened. It throws when it
 * did not happen.
 */
export function scenario<E extends Engines>(
  name: string,
  { on, open }: InstallationOf<E>,
  fault: (run: Run<E>) => Promise<string>,
  options: Options = {},
): Scenario {
  return {
    name,
    on,
    obstacle: options.obstacle ?? (async () => undefined),
    async run(seed, { perSecond = options.perSecond ?? defaultPerSecond, ...size } = {}) {
      const begunMs = Date.now();
      await using resources = new AsyncDisposableStack();
      const engines = await open(resources);
      const inbox = resources.use(await openAlertInbox(await temporaryFolder('alerts', resources)));
      const stack = resources.use(await startStack(engines, { ...inbox.settings, ...options.settings }, size));
      const settled = await runUnderLoad({ engines, stack, inbox, fault }, seed, { ...options, perSecond }).catch(
        (error: Error) => {
          throw new Error(error.message, { cause: stack.outputs() });
        },
      );
      return { name, on, seed, ...settled, seconds: (Date.now() - begunMs) / 1000 };
    },
  };
}

interface Installation<E extends Engines> {
  readonly engines: E;
  readonly stack: Stack;
  readonly inbox: AlertInbox;
  readonly fault: (run: Run<E>) => Promise<string>;
}

async function runUnderLoad<E extends Engines>(
  { engines, stack, inbox, fault }: Installation<E>,
  seed: number,
  { perSecond, ...options }: Options & { readonly perSecond: number },
) {
  await using resources = new AsyncDisposableStack();
  const count = options.deliveries ?? perSecond * historySeconds;
  const startMs = Date.now() - count * historyMsPerDelivery;
  const bodies = history({ seed, count, startMs, ...options.history });
  const load = startLoad({ seed, key: stack.key, targets: stack.targets, perSecond, bodies });
  resources.defer(() => load.close());
  const missed = startMissedMeetings(seed, load);
  resources.defer(() => missed.stop());
  const erased: string[] = [];

  await until(() => load.accepted() > 0, 'the first delivery is acknowledged');
  await sleep(beforeFaultMs);
  let recovery: Promise<number> | undefined;
  const ended = (): Promise<number> => (recovery ??= timeToRecover(engines.store, load, perSecond));
  const evidence = await fault({ engines, stack, load, random: randomOf(seed), wait: sleep, erased, ended });
  const recoveryMs = await ended();
  await sleep(afterRecoveryMs);
  missed.stop();
  await load.finish(retryLimitMs);
  await until(
    () => isDrained(engines.store, load.acceptedBodies()),
    'every acknowledged delivery is in the log',
    drainLimitMs,
  ).catch(() => undefined); // The verdict counts what is missing.

  const expected = missed.acknowledged();
  const unreported = (): string[] => expected.filter((uri) => inbox.keys.get(uri)?.size !== 1);
  await until(() => unreported().length === 0, 'every no-show is reported', alertLimitMs).catch(() => undefined);
  const parts = new Set([...stack.receivers, ...stack.workers]);
  const notReady = await partsNotReady(parts);

  const outputs = stack.outputs();
  const verdict = await judge({
    store: engines.store,
    offered: load.offered,
    outputs,
    canaries: { ...canaries(seed), ...stack.secrets, webhookSecret },
    erased,
  });
  // Late messages count as well.
  const alerts = { expected: expected.length, reported: expected.length - unreported().length };
  const unexpected = [...inbox.keys.keys()].filter((uri) => !missed.isOffered(uri)).length + inbox.others.length;
  return {
    verdict,
    recoveryMs,
    p99Ms: p99Of(load),
    alerts,
    evidence,
    failures: failuresOf({ verdict, recoveryMs, alerts: { ...alerts, unexpected }, notReady }),
    outputs,
  };
}

/** A process that ended by itself, or a receiver that goes on refusing, is a failure though the others do the work. */
async function partsNotReady(parts: ReadonlySet<Part>): Promise<readonly string[]> {
  let found: readonly string[] = [];
  const look = async (): Promise<boolean> => {
    const answers = await Promise.all([...parts].map(async (part) => ((await part.isReady()) ? [] : [part.name])));
    found = answers.flat();
    return found.length === 0;
  };
  await until(look, 'every process is ready', readyLimitMs).catch(() => undefined);
  return found;
}

/** A small part of the load may be under way: two seconds of it, or a batch. */
async function timeToRecover(store: string, load: Load, perSecond: number): Promise<number> {
  const fromMs = Date.now();
  const acceptedBefore = load.accepted();
  const isLevel = async (): Promise<boolean> =>
    (load.accepted() > acceptedBefore || load.isSpent()) &&
    load.acceptedBodies().size - (await countLogged(store)) <= Math.max(2 * perSecond, 60);
  const isOver = await succeeds(until(isLevel, 'the log is level', recoveryLimitMs));
  return isOver ? Date.now() - fromMs : Number.POSITIVE_INFINITY;
}

interface Outcome {
  readonly verdict: Verdict;
  readonly recoveryMs: number;
  readonly alerts: { readonly expected: number; readonly reported: number; readonly unexpected: number };
  /** The names of the processes that do not answer as ready. */
  readonly notReady: readonly string[];
}

/** Why a row fails; nothing when it holds. */
export function failuresOf({ verdict, recoveryMs, alerts, notReady }: Outcome): readonly string[] {
  const counts = ['lost', 'unsent', 'duplicated', 'wrong', 'invented', 'quarantinedWrongly'] as const;
  return [
    ...counts.filter((name) => verdict[name] > 0).map((name) => `${verdict[name]} ${name}`),
    ...(verdict.leaked.length > 0 ? [`in logs: ${verdict.leaked.join(', ')}`] : []),
    ...(verdict.acknowledged === 0 ? ['nothing was acknowledged'] : []),
    ...(Number.isFinite(recoveryMs) ? [] : [`not level again after ${recoveryLimitMs / 1000} s`]),
    ...verdict.findings,
    ...(alerts.reported < alerts.expected
      ? [`${alerts.expected - alerts.reported} no-shows were not reported under one key`]
      : []),
    ...(alerts.unexpected > 0 ? [`${alerts.unexpected} alerts or retractions about nothing that happened`] : []),
    ...notReady.map((name) => `${name} is not ready`),
  ];
}

function p99Of({ offered }: Load): number {
  const times = offered
    .flatMap(({ answers }) => answers)
    .filter(({ status }) => isAccepted(status))
    .map(({ tookMs }) => tookMs)
    .toSorted((a, b) => a - b);
  return times[Math.floor(times.length * 0.99)] ?? 0;
}
