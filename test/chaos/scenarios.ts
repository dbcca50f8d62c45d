// All rows of the chaos suite, in the order of the table.
import { failoverRows } from './rows/failover.ts';
import { clockRows } from './rows/clock.ts';
import { diskRows } from './rows/disk.ts';
import { operationsRows } from './rows/operations.ts';
import { pgbouncerRows } from './rows/pgbouncer.ts';
import { databaseBackRows } from './rows/database-back.ts';
import { postgresRows } from './rows/postgres.ts';
import { processRows } from './rows/processes.ts';
import { redisRows } from './rows/redis.ts';
import { loadRows } from './rows/load.ts';
import { sqliteRows } from './rows/sqlite.ts';
import type { Scenario } from './scenario.ts';

export const scenarios: readonly Scenario[] = [
  ...processRows,
  ...diskRows,
  ...clockRows,
  ...loadRows,
  ...sqliteRows,
  ...redisRows,
  ...failoverRows,
  ...postgresRows,
  ...pgbouncerRows,
  ...databaseBackRows,
  ...operationsRows,
];
