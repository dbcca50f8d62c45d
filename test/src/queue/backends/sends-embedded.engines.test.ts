import { describe } from 'vitest';
import { describeSends } from './sends-suite.ts';

describe('sends on the embedded queue', () => {
  describeSends('embedded');
});
