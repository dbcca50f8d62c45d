// All rows of the chaos suite, in the order of the table.
import type { Scenario } from './scenario.ts';

export const scenarios: readonly Scenario[] = [];
