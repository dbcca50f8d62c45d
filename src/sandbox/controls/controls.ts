// Every control there is.
import type { Control } from './control.ts';

export const controls: readonly Control[] = [];
