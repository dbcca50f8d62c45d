// The settings of the process: their values without secrets, where each comes from, and what it does.
import { z } from 'zod';
import { defineOperation } from '#src/api/api-operation.ts';
import { processOf } from './mirror-process.ts';

export const settingRecord = z
  .strictObject({
    name: z.string(),
    value: z.string().nullable().describe('Null when it is not set and has no default.'),
    source: z
      .enum(['environment', '.env', 'file', 'default'])
      .describe('`file`: the file that `NAME_FILE` names. `.env`: the file in the working folder.'),
    variable: z.string().nullable().describe('The variable that was read: the name, its alias, or `NAME_FILE`.'),
    shown: z
      .enum(['whole', 'part', 'hidden'])
      .describe('Of a secret nothing is shown; of an address that may contain one, the scheme and the host.'),
    default: z.string().nullable(),
    meaning: z.string(),
  })
  .meta({ id: 'Setting' });

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
