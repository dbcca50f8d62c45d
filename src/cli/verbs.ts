// Every verb, in the order `--help` shows them. Each is loaded when it is asked for: a receiver must not carry the sandbox.
import type { Verb } from './verb.ts';

const loaders: Readonly<Record<string, () => Promise<Verb>>> = {
  start: async () => (await import('#src/cli/commands/start.ts')).start,
  receive: async () => (await import('#src/cli/commands/receive.ts')).receive,
  work: async () => (await import('#src/cli/commands/work.ts')).work,
  login: async () => (await import('#src/cli/commands/login.ts')).login,
  bootstrap: async () => (await import('#src/cli/commands/bootstrap.ts')).bootstrap,
  backfill: async () => (await import('#src/cli/commands/backfill.ts')).backfill,
  reconcile: async () => (await import('#src/cli/commands/reconcile.ts')).reconcile,
  status: async () => (await import('#src/cli/commands/status.ts')).status,
  doctor: async () => (await import('#src/cli/commands/doctor.ts')).doctor,
  replay: async () => (await import('#src/cli/commands/replay.ts')).replay,
  rebuild: async () => (await import('#src/cli/commands/rebuild.ts')).rebuild,
  why: async () => (await import('#src/cli/commands/why.ts')).why,
  feed: async () => (await import('#src/cli/commands/feed.ts')).feed,
  export: async () => (await import('#src/cli/commands/export.ts')).exportRows,
  erase: async () => (await import('#src/cli/commands/erase.ts')).erase,
  alerts: async () => (await import('#src/cli/commands/alerts.ts')).alerts,
  trigger: async () => (await import('#src/cli/commands/trigger.ts')).trigger,
  sandbox: async () => (await import('#src/cli/commands/sandbox.ts')).sandbox,
  demo: async () => (await import('#src/cli/commands/demo.ts')).demo,
};

/** The verb of this name alone; all of them where there is none, for help and for suggestions. */
export function loadVerbs(name?: string): Promise<readonly Verb[]> {
  const chosen = name !== undefined && Object.hasOwn(loaders, name) ? loaders[name] : undefined;
  return Promise.all((chosen ? [chosen] : Object.values(loaders)).map((load) => load()));
}
