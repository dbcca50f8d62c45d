// Every control there is.
import { accountControls } from './account.ts';
import { clockControls } from './clock.ts';
import type { Control } from './control.ts';
import { deliveryControls } from './deliveries.ts';
import { faultControls } from './faults.ts';
import { invitationControls } from './invitations.ts';
import { inviteeControls } from './invitees.ts';
import { meetingRecapControls } from './meeting-recaps.ts';
import { noShowControls } from './no-shows.ts';
import { routingFormControls } from './routing-forms.ts';
import { stateControls } from './state.ts';
import { subscriptionControls } from './subscriptions.ts';

export const controls: readonly Control[] = [
  ...accountControls,
  ...invitationControls,
  ...meetingRecapControls,
  ...routingFormControls,
  ...inviteeControls,
  ...noShowControls,
  ...faultControls,
  ...clockControls,
  ...subscriptionControls,
  ...deliveryControls,
  ...stateControls,
];
