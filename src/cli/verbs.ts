// Every verb, in the order `--help` shows them. Each is loaded when it is asked for: a receiver must not carry the sandbox.
import type { Verb } from './verb.ts';

const loaders: Readonly<Record<string, () => Promise<Verb>>> = {
  start: async () => (await import('./start.ts')).start,
  receive: async () => (await import('./receive.ts')).receive,
  work: async () => (await import('./work.ts')).work,
  login: async () => (await import('./login.ts')).login,
  bootstrap: async () => (await import('./bootstrap.ts')).bootstrap,
  backfill: async () => (await import('./backfill.ts')).backfill,
  reconcile: async () => (await import('./reconcile.ts')).reconcile,
  status: async () => (await import('./status.ts')).status,
  doctor: async () => (await import('./doctor.ts')).doctor,
  replay: async () => (await import('./replay.ts')).replay,
  rebuild: async () => (await import('./rebuild.ts')).rebuild,
  why: async () => (await import('./why.ts')).why,
  feed: async () => (await import('./feed.ts')).feed,
  export: async () => (await import('./export.ts')).exportRows,
  erase: async () => (await import('./erase.ts')).erase,
  alerts: async () => (await import('./alerts.ts')).alerts,
  trigger: async () => (await import('./trigger.ts')).trigger,
  sandbox: async () => (await import('./sandbox.ts')).sandbox,
  demo: async () => (await import('./demo.ts')).demo,
};

/** The verb of this name alone; all of them where there is none, for help and for suggestions. */
export function loadVerbs(name?: string): Promise<readonly Verb[]> {
  const chosen = name !== undefined && Object.hasOwn(loaders, name) ? loaders[name] : undefined;
  return Promise.all((chosen ? [chosen] : Object.values(loaders)).map((load) => load()));
}
