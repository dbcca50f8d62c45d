// Every kind of rule that is about the mirror itself, or about many bookings together.
import type { ConditionKind } from './condition.ts';
import { clockSkew } from './conditions/clock-skew.ts';
import { drift } from './conditions/drift.ts';
import { lag } from './conditions/lag.ts';
import { noShowSpike } from './conditions/no-show-spike.ts';
import { quarantine } from './conditions/quarantine.ts';
import { spool } from './conditions/spool.ts';
import { subscription } from './conditions/subscription.ts';

export const conditionKinds = [
  noShowSpike,
  subscription,
  quarantine,
  lag,
  drift,
  clockSkew,
  spool,
] as const satisfies readonly ConditionKind[];
