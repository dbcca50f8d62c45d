// Every control there is.
import { accountControls } from './account.ts';
import { clockControls } from './clock.ts';
import type { Control } from './control.ts';
import { inviteeControls } from './invitees.ts';
import { meetingRecapControls } from './meeting-recaps.ts';
import { routingFormControls } from './routing-forms.ts';
import { stateControls } from './state.ts';
import { webhookControls } from './webhooks.ts';

export const controls: readonly Control[] = [
  ...accountControls,
  ...meetingRecapControls,
  ...routingFormControls,
  ...inviteeControls,
  ...clockControls,
  ...webhookControls,
  ...stateControls,
];
