// All rows of the chaos suite, in the order of the table.
import { operationsRows } from './rows/operations.ts';
import { pgbouncerRows } from './rows/pgbouncer.ts';
import { postgresRows } from './rows/postgres.ts';
import { processRows } from './rows/processes.ts';
import { upgradeRows } from './rows/upgrade.ts';
import type { Scenario } from './scenario.ts';

export const scenarios: readonly Scenario[] = [
  ...processRows,
  ...postgresRows,
  ...pgbouncerRows,
  ...operationsRows,
  ...upgradeRows,
];
