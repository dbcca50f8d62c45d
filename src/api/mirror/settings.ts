// The settings of the process: their values without secrets, where each comes from, and what it does.
import { z } from 'zod';
import { defineOperation } from '#src/api/api-operation.ts';
import { processOf, settingRecord } from './mirror-process.ts';

export const listSettings = defineOperation({
  id: 'listSettings',
  method: 'GET',
  path: '/api/settings',
  tag: 'Mirror',
  summary: 'The settings of this process, without secrets',
  description: 'Every process reads its own environment: another process may have other settings.',
  answers: 'object',
  schema: z.strictObject({ collection: z.array(settingRecord) }),
  run: (context) => ({ collection: processOf(context).settings }),
});

export const settingOperations = [listSettings] as const;
