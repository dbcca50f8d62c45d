// The organization itself: every record names it by its URI, so the URI has to answer.
import { organizationResource } from '#schemas/resources/organization.ts';
import type { OrganizationResource } from '#schemas/resources/organization.ts';
import { isPaid } from '#src/sandbox/world/organizations.ts';
import type { Organization } from '#src/sandbox/world/state.ts';
import { defineOperation } from './operation.ts';
import { demandOrganization } from './permissions.ts';

export const organizationOperations = [
  defineOperation({
    id: 'getOrganization',
    method: 'GET',
    path: '/organizations/{uuid}',
    summary: 'One organization',
    scopes: [],
    answers: 'resource',
    schema: organizationResource,
    run({ service, caller, uri }) {
      demandOrganization(service.state, caller, uri);
      return shown(caller.organization);
    },
  }),
] as const;

function shown(organization: Organization): OrganizationResource {
  const { uri, name, plan, trial } = organization;
  const stage = trial ? 'trial' : isPaid(organization) ? 'paid' : 'free';
  return { uri, name, plan, stage, resource_type: 'Organization' };
}
