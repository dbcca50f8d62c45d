// Every kind of rule that is about bookings. Those about the mirror itself are conditions (`conditions.ts`).
import type { RuleKind } from './rule.ts';
import { lateCancel } from './late-cancel.ts';
import { noShow } from './no-show.ts';
import { repeatNoShow } from './repeat-no-show.ts';
import { vip } from './vip.ts';

export const ruleKinds = [noShow, repeatNoShow, lateCancel, vip] as const satisfies readonly RuleKind[];
