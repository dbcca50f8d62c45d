// Routing forms of the organization, and the submissions of each.
import { isStatus } from '#src/upstream/api-error.ts';
import type { Client } from '#src/upstream/client.ts';
import { listRoutingFormSubmissions, listRoutingForms } from '#src/upstream/endpoints.ts';
import type { Resource, ResourcePage } from './contract.ts';
import { listPages, nestedListPages, nestedToken, type NestedPosition } from './list-pages.ts';

export const routingForms: Resource = {
  name: 'routing_forms',
  feeds: ['routing_form_submission.created'],
  pages: ({ client, organization }, { from, query, signal } = {}) =>
    nestedListPages(
      {
        name: 'routing forms',
        kind: 'routing_form',
        open: (token) => listRoutingForms(client, { organization, ...query }, { from: token, signal }),
      },
      from,
      (position) => submissionPages(client, position, signal),
    ),
};

async function* submissionPages(
  client: Client,
  { pending, submissions, next }: NestedPosition,
  signal: AbortSignal | undefined,
): AsyncGenerator<ResourcePage> {
  for (const [at, form] of pending.entries()) {
    const list = {
      name: `submissions of ${form}`,
      kind: 'routing_form_submission',
      open: (token: string | undefined) => listRoutingFormSubmissions(client, { form }, { from: token, signal }),
    } as const;
    try {
      for await (const page of listPages(list, at === 0 ? (submissions ?? undefined) : undefined)) {
        const left = pending.slice(page.nextToken === null ? at + 1 : at);
        yield { ...page, nextToken: nestedToken({ pending: left, submissions: page.nextToken, next }) };
      }
    } catch (error) {
      // The form was deleted a moment ago; its submissions cannot be read any more.
      if (!isStatus(error, 404) || !error.isFromService) throw error;
      const nextToken = nestedToken({ pending: pending.slice(at + 1), submissions: null, next });
      yield { records: [], rows: 0, nextToken };
    }
  }
}
