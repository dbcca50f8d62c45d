// The names of the variables that the settings are read from, and the environment without them.
import type { Setting } from './readers.ts';
import { settings } from './variables.ts';

/** With the files of secrets and the second names. */
export const settingNames: readonly string[] = Object.entries<Setting>(settings).flatMap(([name, { alias = [] }]) =>
  [name, `${name}_FILE`].concat(alias),
);

/** The driver of PostgreSQL reads them: `PGPASSWORD`. */
const ofPostgres = /^PG[A-Z]/;

type Variables = Readonly<Record<string, string | undefined>>;

/** For other programs: without our settings under any name, and without what `.env` has for this program and the containers beside it. */
export function environmentForOthers(env: Variables, inFile: readonly string[]): Variables {
  const ours = new Set([...settingNames, ...inFile]);
  return Object.fromEntries(Object.entries(env).filter(([name]) => !ours.has(name) && !ofPostgres.test(name)));
}
