// Every control there is.
import { accountControls } from './account.ts';
import type { Control } from './control.ts';
import { invitationControls } from './invitations.ts';
import { inviteeControls } from './invitees.ts';
import { meetingRecapControls } from './meeting-recaps.ts';
import { noShowControls } from './no-shows.ts';
import { routingFormControls } from './routing-forms.ts';

export const controls: readonly Control[] = [
  ...accountControls,
  ...invitationControls,
  ...meetingRecapControls,
  ...routingFormControls,
  ...inviteeControls,
  ...noShowControls,
];
