// A row of faults is wrong where a view that must report the fault does not, or any view reports something without a fault.
import { expect, it } from 'vitest';
import { wrongViews, type Report } from './observe.ts';
import type { ViewName } from './views.ts';

it('a view that must report a fault and does not is wrong, and each that reports something without a fault', () => {
  const reports = new Map<ViewName, Report>([['doctor', { text: 'It does not answer.', seconds: 2 }]]);
  expect(wrongViews({ expected: ['doctor', 'status'], reports })).toEqual(['status']);
  expect(wrongViews({ expected: [], reports })).toEqual(['doctor']);
});
