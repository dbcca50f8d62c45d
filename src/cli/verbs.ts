// Every verb, in the order `--help` shows them.
import { trigger } from './trigger.ts';
import type { Verb } from './verb.ts';

export const verbs: readonly Verb[] = [trigger];
