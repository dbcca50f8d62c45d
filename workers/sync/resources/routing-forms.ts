// Routing forms of the organization, and the submissions of each.
import { z } from 'zod';
import { isStatus } from '#src/upstream/api-error.ts';
import { listRoutingForms, listRoutingFormSubmissions } from '#src/upstream/endpoints/routing-forms.ts';
import type { Sources } from '#workers/sync/sources.ts';
import type { Resource, ResourcePage } from './contract.ts';
import { readPosition, uriOf, listPages } from './list-pages.ts';

/** The forms whose submissions are still to be read, the page within the first of them, then the next page of forms. */
const positionSchema = z.object({
  pending: z.array(z.string()),
  submissions: z.string().nullable(),
  next: z.string().nullable(),
});
type Position = z.output<typeof positionSchema>;

export const routingForms: Resource = {
  name: 'routing_forms',
  feeds: ['routing_form_submission.created'],
  async *pages(sources, { from, query, signal } = {}) {
    const { client, organization } = sources;
    const start = readPosition(from, positionSchema);
    if (start !== undefined) {
      yield* submissionPages(sources, start, signal);
      if (start.next === null) return;
    }
    const list = {
      name: 'routing forms',
      kind: 'routing_form',
      open: (token: string | undefined) =>
        listRoutingForms(client, { organization, ...query }, { from: token, signal }),
    } as const;
    for await (const page of listPages(list, start?.next ?? undefined)) {
      const pending = page.records.flatMap(({ record }) => uriOf(record));
      const here: Position = { pending, submissions: null, next: page.nextToken };
      yield { ...page, nextToken: tokenOf(here) };
      yield* submissionPages(sources, here, signal);
    }
  },
};

async function* submissionPages(
  { client }: Sources,
  { pending, submissions, next }: Position,
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
        yield { ...page, nextToken: tokenOf({ pending: left, submissions: page.nextToken, next }) };
      }
    } catch (error) {
      // The form was deleted a moment ago; its submissions cannot be read any more.
      if (!isStatus(error, 404) || !error.isFromService) throw error;
      const nextToken = tokenOf({ pending: pending.slice(at + 1), submissions: null, next });
      yield { records: [], rows: 0, nextToken };
    }
  }
}

function tokenOf(here: Position): string | null {
  return here.next === null && here.pending.length === 0 ? null : JSON.stringify(here);
}
