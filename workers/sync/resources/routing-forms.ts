// Routing forms of the organization, and the submissions of each.
import { listRoutingFormSubmissions, listRoutingForms } from '#src/upstream/endpoints.ts';
import type { Sources } from '#workers/sync/sources.ts';
import type { PageOptions, Resource, ResourcePage } from './contract.ts';
import { noticeOf } from './left-out.ts';
import { listPages, type List } from './list-pages.ts';
import { nestedListPages, nestedToken, type NestedPosition } from './nested-pages.ts';

export const routingForms: Resource = {
  name: 'routing_forms',
  feeds: ['routing_form_submission.created'],
  pages(sources, options = {}) {
    const list = forms(sources, options);
    return nestedListPages(list, options.from, (position) => submissionPages(sources, list, { position, ...options }));
  },
};

const forms = ({ client, organization }: Sources, { query, signal }: PageOptions): List => ({
  name: 'routing forms',
  kind: 'routing_form',
  open: (token) => listRoutingForms(client, { organization, ...query }, { from: token, signal }),
});

async function* submissionPages(
  { client }: Sources,
  around: List,
  { position, signal }: PageOptions & { readonly position: NestedPosition },
): AsyncGenerator<ResourcePage> {
  const { pending, submissions } = position;
  for (const [at, form] of pending.entries()) {
    const list: List = {
      name: `submissions of ${form}`,
      kind: 'routing_form_submission',
      open: (token) => listRoutingFormSubmissions(client, { form }, { from: token, signal }),
    };
    const from = at === 0 ? (submissions ?? undefined) : undefined;
    let isRest = from !== undefined;
    try {
      for await (const page of listPages(list, from)) {
        isRest = true;
        const left = pending.slice(page.nextToken === null ? at + 1 : at);
        yield { ...page, nextToken: nestedToken({ ...position, pending: left, submissions: page.nextToken }) };
      }
    } catch (error) {
      const nextToken = nestedToken({ ...position, pending: pending.slice(at + 1), submissions: null });
      yield { records: [], rows: 0, nextToken, notices: [await noticeOf(list.name, error, { around, isRest })] };
    }
  }
}
