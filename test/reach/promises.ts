// What the product promises, where each promise begins, and how much code it may reach in the end.
import type { Program, ReachRules } from './reach.ts';

export interface Promised {
  readonly promise: string;
  /** Files and folders. */
  readonly entries: readonly string[];
  readonly goal: number;
  /** Only what this file does not reach is counted. */
  readonly beside?: string;
  readonly note?: string;
}

const fold = 'workers/fold/pipeline/fold.ts';

export const promises: readonly Promised[] = [
  { promise: 'only signed deliveries get in', entries: ['src/receiver/webhook.ts'], goal: 1_500 },
  {
    promise: 'a 202 is never lost',
    entries: ['src/receiver/intake.ts', 'src/receiver/disk-log/disk-log.ts', 'src/queue'],
    goal: 3_000,
  },
  { promise: 'any order, any duplicates: the same rows', entries: [fold], goal: 4_000 },
  {
    promise: 'what cannot be read is kept, and can be replayed',
    entries: ['workers/sync/replay.ts'],
    goal: 2_000,
    beside: fold,
  },
  {
    promise: 'the deleted stay deleted, the erased stay erased',
    entries: ['workers/fold/privacy/erase.ts'],
    goal: 3_000,
    beside: fold,
  },
  { promise: 'the mirror equals the service', entries: ['workers/sync/reconcile'], goal: 4_000, beside: fold },
  {
    promise: 'every number is a view',
    entries: ['src/store/views'],
    goal: 1_000,
    note: 'of SQL, which is not counted here',
  },
  {
    promise: 'one alert for one moment, taken back when it was wrong',
    entries: ['workers/out/alerts'],
    goal: 3_000,
  },
  { promise: 'no one reads without a token', entries: ['src/api/auth'], goal: 1_500 },
  {
    promise: 'bootstrap registers what is wanted, and nothing else',
    entries: ['src/subscriptions'],
    goal: 3_000,
  },
  {
    promise: 'a page shows what the mirror has: the bookings',
    entries: ['src/addons/dashboard/pages/bookings/bookings.ts'],
    goal: 8_000,
  },
  {
    promise: 'a page shows what the mirror has: the whole dashboard',
    entries: ['src/addons/dashboard/dashboard.ts'],
    goal: 8_000,
  },
  {
    promise: '`slotstream/webhooks`: a delivery is verified and typed in any program',
    entries: ['src/library/webhooks.ts'],
    goal: 500,
    note: 'beside its schemas',
  },
];

/** What a promise uses through a contract: counted apart, unless the promise begins there. Each has its reason. */
export const borders: Readonly<Record<string, string>> = {
  'src/store/open-store.ts':
    'It opens what `src/store/contract.ts` describes; the engine tests hold SQLite and PostgreSQL to it.',
  'src/store/reading/reading.ts':
    'It opens what reads the same tables apart from the store, by the same contract; its tests hold both engines to it.',
  'src/queue/registry.ts': 'It opens what `src/queue/contract.ts` describes; one suite holds every engine to it.',
  'src/observability/metrics/registry.ts':
    'It is an instrument: it counts, and reads what it shows. Nothing that counts depends on that.',
  'src/receiver/listener.ts':
    'It passes requests to what it serves. Who else has it counts its connections or closes it.',
};

/** What says which tables, columns and payloads there are: counted apart. */
export const declarations = ['schemas/', 'src/store/columns.ts', 'src/store/schema/'] as const;

export const rules: ReachRules = {
  isRoot: (path) => path.startsWith('src/app/'),
  // Time, retries, errors: helpers that keep nothing of what they are given.
  passesOn: (path) => path.startsWith('src/base/'),
  isBorder: (path) => path in borders,
  isDeclaration: (path) => declarations.some((part) => path.startsWith(part)),
};

export interface Figure {
  readonly promise: string;
  readonly lines: number;
  readonly byImports: number;
  readonly declared: number;
  readonly behind: { readonly files: number; readonly lines: number };
  readonly files: readonly string[];
}

export const figuresOf = (program: Program): readonly Figure[] => promises.map((one) => figureOf(program, one));

export function figureOf(program: Program, { promise, entries, beside }: Promised): Figure {
  const files = entries.flatMap((entry) => program.filesIn(entry));
  const whole = program.reach(files);
  const imported = program.reach(files, { followsHanded: false });
  const other = beside === undefined ? undefined : program.reach(program.filesIn(beside));
  const besides = (found: ReadonlySet<string>, counted: ReadonlySet<string> | undefined) =>
    [...found].filter((path) => !counted?.has(path)).toSorted();
  const counted = besides(whole.files, other?.files);
  const behind = besides(whole.behindBorders, other?.behindBorders);
  return {
    promise,
    lines: program.linesOf(counted),
    byImports: program.linesOf(besides(imported.files, other?.files)),
    declared: program.linesOf(besides(whole.declarations, other?.declarations)),
    behind: { files: behind.length, lines: program.linesOf(behind) },
    files: counted,
  };
}
