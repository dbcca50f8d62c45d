// All rows of the chaos suite, in the order of the table.
import type { Scenario } from './scenario.ts';

import { processRows } from './rows/processes.ts';

export const scenarios: readonly Scenario[] = [...processRows];
