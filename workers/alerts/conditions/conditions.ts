// Every kind of rule that is about the mirror itself, or about many bookings together.
import type { ConditionKind } from './condition.ts';
import { clockSkew } from './clock-skew.ts';
import { drift } from './drift.ts';
import { lag } from './lag.ts';
import { noShowSpike } from './no-show-spike.ts';
import { quarantine } from './quarantine.ts';
import { spool } from './spool.ts';
import { subscription } from './subscription.ts';

export const conditionKinds = [
  noShowSpike,
  subscription,
  quarantine,
  lag,
  drift,
  clockSkew,
  spool,
] as const satisfies readonly ConditionKind[];
