// What operators did: the list of recorded actions.
import { z } from 'zod';
import { pageQuery } from '#schemas/pagination.ts';
import { instant } from '#schemas/resources/values.ts';
import { json } from '#schemas/wire.ts';
import { listing } from '#src/http/pagination.ts';
import { plainText } from '#src/http/request.ts';
import { findActions, type AdminAction } from '#src/store/admin-actions.ts';
import { defineOperation } from './api-operation.ts';

const values = z.record(z.string(), json).nullable();

const actionRecord = z
  .strictObject({
    id: z.string(),
    at: instant,
    caller: z
      .string()
      .describe(
        '`admin token`, `admin session`, `read-only token` or `read-only session`: a session is a browser. `mcp token` or `mcp command`: an AI model.',
      ),
    address: z.string().describe('The address from which the request came: that of a proxy, where there is one.'),
    operation: z
      .string()
      .describe('`replayDelivery`, …: its id in this document; of an AI model, the name of the tool.'),
    target: z.string().nullable().describe('What it was about: the ids in its path.'),
    input: values.describe('Its filters and options. Text that may be about a person is `[hidden]`.'),
    result: values.describe('What it did: counts and outcomes.'),
    status: z
      .int()
      .nullable()
      .describe('The status of the answer. Null while it runs, or if the process ended meanwhile.'),
  })
  .meta({ id: 'Action' });

export const listActions = defineOperation({
  id: 'listActions',
  method: 'GET',
  path: '/api/actions',
  tag: 'Actions',
  summary: 'What operators did, newest first',
  description:
    'Every change through this API, from a page or from a program, every change that was refused to the read-only token, and every call of a tool by an AI model. Actions are stored for 400 days, at most 100,000 of operators and as many of models.',
  query: pageQuery.extend({ operation: plainText.optional().describe('Only this operation: `replayDelivery`.') }),
  answers: 'collection',
  schema: actionRecord,
  async run({ store, query: { operation }, pageIn }) {
    const page = await findActions(store, { operation }, pageIn('at:desc'));
    return listing<AdminAction>({ ...page, positionOf: ({ at, id }) => ({ key: at, uri: id }) });
  },
});
