import { describe, inject } from 'vitest';
import { describeSends } from './sends-suite.ts';

describe.runIf(inject('postgresUrl'))('sends on PostgreSQL', () => {
  describeSends('postgres');
});
