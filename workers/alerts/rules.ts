// Every kind of rule that is about bookings. Those about the mirror itself are conditions (`conditions.ts`).
import type { RuleKind } from './rule.ts';
import { lateCancel } from './rules/late-cancel.ts';
import { noShow } from './rules/no-show.ts';
import { repeatNoShow } from './rules/repeat-no-show.ts';
import { vip } from './rules/vip.ts';

export const ruleKinds = [noShow, repeatNoShow, lateCancel, vip] as const satisfies readonly RuleKind[];
