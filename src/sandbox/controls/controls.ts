// Every control there is.
import { accountControls } from './account.ts';
import type { Control } from './control.ts';
import { invitationControls } from './invitations.ts';

export const controls: readonly Control[] = [...accountControls, ...invitationControls];
