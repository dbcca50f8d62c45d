// Every operation of the service.
import { invitationOperations } from './invitations.ts';
import type { Operation } from './operation.ts';
import { userOperations } from './users.ts';

export const operations: readonly Operation[] = [...userOperations, ...invitationOperations];
