// What reading users and their memberships does to us. A membership carries its user, who has a row of their own.
import type { FactKind } from '#schemas/records.ts';
import { user as userSchema, type User } from '#schemas/user.ts';
import type { Json } from '#src/store/columns.ts';
import type { Assignment, Fact, Fields, Projection } from './contract.ts';
import { columns, partOf, said } from './field-mapping.ts';
import { ranks, versionOf } from './version.ts';

type Kinds = Extract<FactKind, `user.${string}` | `organization_membership.${string}`>;

export const userFields: Fields = columns('name email slug timezone created_at updated_at body');

export const organizationMembershipFields: Fields = {
  ...columns('role created_at updated_at body'),
  user: (user) => ({ user_uri: typeof user === 'string' ? user : partOf(user, 'uri') }),
  organization: (uri) => ({ organization_uri: uri }),
};

export const userProjections: { [Kind in Kinds]: Projection<Kind> } = {
  'user.read': (fact) => ({
    subject: { table: 'users', uri: fact.payload.uri },
    assignments: [userOf(fact, fact.payload)],
  }),
  'organization_membership.read': (fact) => {
    const { payload, observed, tie } = fact;
    // A user of another shape is kept in the membership; of one that fits, the row is the user's own.
    const { data: user } = userSchema.safeParse(payload.user);
    const body: Json = { ...(payload as Record<string, Json>), ...(user && { user: user.uri }) };
    return {
      subject: { table: 'organization_memberships', uri: payload.uri },
      assignments: [
        {
          table: 'organization_memberships',
          uri: payload.uri,
          version: versionOf({ updatedAt: payload.updated_at, observed, rank: ranks.page, tie }),
          fields: said(organizationMembershipFields, { ...payload, body }),
        },
        ...(user ? [userOf(fact, user)] : []),
      ],
    };
  },
};

function userOf({ observed, tie }: Pick<Fact, 'observed' | 'tie'>, user: User): Assignment {
  return {
    table: 'users',
    uri: user.uri,
    version: versionOf({ updatedAt: user.updated_at, observed, rank: ranks.page, tie }),
    fields: said(userFields, { ...user, body: user }),
  };
}
