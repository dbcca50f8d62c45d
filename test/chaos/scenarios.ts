// All rows of the chaos suite, in the order of the table.
import { failoverRows } from './rows/failover.ts';
import { operationsRows } from './rows/operations.ts';
import { pgbouncerRows } from './rows/pgbouncer.ts';
import { postgresRows } from './rows/postgres.ts';
import { processRows } from './rows/processes.ts';
import { redisRows } from './rows/redis.ts';
import { upgradeRows } from './rows/upgrade.ts';
import type { Scenario } from './scenario.ts';

export const scenarios: readonly Scenario[] = [
  ...processRows,
  ...redisRows,
  ...failoverRows,
  ...postgresRows,
  ...pgbouncerRows,
  ...operationsRows,
  ...upgradeRows,
];
