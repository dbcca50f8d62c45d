// Which organization a control is about: the one it names, else the one the world is about.
import { notFound } from '#src/http/http-error.ts';
import { mainOrganization } from '#src/sandbox/world/organizations.ts';
import type { Organization, State } from '#src/sandbox/world/state.ts';

export function demandOrganization({ organizations }: State, uri: string | undefined): Organization {
  const organization = uri === undefined ? mainOrganization(organizations) : organizations.get(uri);
  if (organization === undefined) throw notFound('No such organization.', 'organization');
  return organization;
}
