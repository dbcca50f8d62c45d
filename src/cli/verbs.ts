// Every verb, in the order `--help` shows them.
import { backfill } from './backfill.ts';
import { bootstrap } from './bootstrap.ts';
import { demo } from './demo.ts';
import { doctor } from './doctor.ts';
import { login } from './login.ts';
import { receive } from './receive.ts';
import { rebuild } from './rebuild.ts';
import { reconcile } from './reconcile.ts';
import { replay } from './replay.ts';
import { sandbox } from './sandbox.ts';
import { start } from './start.ts';
import { status } from './status.ts';
import { trigger } from './trigger.ts';
import type { Verb } from './verb.ts';
import { why } from './why.ts';
import { work } from './work.ts';

export const verbs: readonly Verb[] = [
  start,
  receive,
  work,
  login,
  bootstrap,
  backfill,
  reconcile,
  status,
  doctor,
  replay,
  rebuild,
  why,
  trigger,
  sandbox,
  demo,
];
