import { describe, inject } from 'vitest';
import { describeSends } from './sends-suite.ts';

describe.runIf(inject('redisUrl'))('sends on Redis', () => {
  describeSends('redis');
});
