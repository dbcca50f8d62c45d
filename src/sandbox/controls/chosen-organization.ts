// Which organization a control is about: the one it names, else the one the world is about.
import { notFound } from '#src/conventions/refusal.ts';
import { mainOrganization } from '../world/organization.ts';
import type { Organization } from '../world/organization.ts';
import type { State } from '../world/state.ts';

export function demandOrganization({ organizations }: State, uri: string | undefined): Organization {
  const organization = uri === undefined ? mainOrganization(organizations) : organizations.get(uri);
  if (organization === undefined) throw notFound('No such organization.', 'organization');
  return organization;
}
