// Every operation of the service.
import type { Operation } from './operation.ts';
import { userOperations } from './users.ts';

export const operations: readonly Operation[] = [...userOperations];
