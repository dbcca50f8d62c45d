// Every operation of the service.
import { groupOperations } from './groups.ts';
import { invitationOperations } from './invitations.ts';
import { meetingRecapOperations } from './meeting-recaps.ts';
import type { Operation } from './operation.ts';
import { routingFormOperations } from './routing-forms.ts';
import { userOperations } from './users.ts';

export const operations: readonly Operation[] = [
  ...userOperations,
  ...invitationOperations,
  ...meetingRecapOperations,
  ...routingFormOperations,
  ...groupOperations,
];
