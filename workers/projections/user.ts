// Projects users and their memberships as they are read. A membership embeds its user, who has a row of their own.
import type { FactKind, FactPayload } from '#schemas/records.ts';
import { user as userSchema, type User } from '#schemas/user.ts';
import type { Assignment, Fields, Projection, ProjectionInput } from './contract.ts';
import { assignmentTo, columnsFrom, partOf } from './field-mapping.ts';
import { ranks, versionOf } from './version.ts';

type Kinds = Extract<FactKind, `user.${string}` | `organization_membership.${string}`>;

export const userFields: Fields<'users'> = columnsFrom<User>()(
  'users',
  'name email slug timezone created_at updated_at body',
);

export const organizationMembershipFields: Fields<'organization_memberships'> = {
  ...columnsFrom<FactPayload<'organization_membership.read'>>()(
    'organization_memberships',
    'role created_at updated_at body',
  ),
  user: (user) => ({ user_uri: typeof user === 'string' ? user : partOf(user, 'uri') }),
  organization: (uri) => ({ organization_uri: uri }),
};

export const userProjections: { [Kind in Kinds]: Projection<Kind> } = {
  'user.read': (input) => ({
    subject: { table: 'users', uri: input.payload.uri },
    assignments: [userAssignment(input, input.payload)],
  }),
  'organization_membership.read': (input) => {
    const { payload, observed, tie } = input;
    const { uri } = payload;
    // A user that fits the schema is stored in its own row; one that does not stays in the membership's body.
    const { data: user } = userSchema.safeParse(payload.user);
    const record = { ...payload, body: { ...payload, ...(user && { user: user.uri }) } };
    const version = versionOf({ updatedAt: payload.updated_at, observed, rank: ranks.page, tie });
    return {
      subject: { table: 'organization_memberships', uri },
      assignments: [
        assignmentTo('organization_memberships', organizationMembershipFields, { uri, version, record }),
        ...(user ? [userAssignment(input, user)] : []),
      ],
    };
  },
};

function userAssignment({ observed, tie }: Pick<ProjectionInput, 'observed' | 'tie'>, user: User): Assignment {
  const version = versionOf({ updatedAt: user.updated_at, observed, rank: ranks.page, tie });
  return assignmentTo('users', userFields, { uri: user.uri, version, record: { ...user, body: user } });
}
