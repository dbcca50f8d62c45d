// Projects users and their memberships as they are read. A membership embeds its user, who has a row of their own.
import type { FactKind, FactPayload } from '#schemas/records.ts';
import { readRecord } from '#schemas/odd-values.ts';
import { user as userSchema, type User } from '#schemas/user.ts';
import type { Fields, Projection } from './contract.ts';
import { assignmentTo, columnsFrom, extraBeside, notListedIn, partOf, recordsTo } from './field-mapping.ts';
import { ranks, versionOf } from './version.ts';

type Kinds = Extract<FactKind, `user.${string}` | `organization_membership.${string}`>;

export const userFields: Fields<'users'> = columnsFrom<User>()(
  'users',
  'name email slug timezone created_at updated_at extra',
);

export const organizationMembershipFields: Fields<'organization_memberships'> = {
  ...columnsFrom<FactPayload<'organization_membership.read'>>()(
    'organization_memberships',
    'role created_at updated_at extra',
  ),
  user: (user) => ({ user_uri: typeof user === 'string' ? user : partOf(user, 'uri') }),
  organization: (uri) => ({ organization_uri: uri }),
  deleted_at: 'deleted_at',
};

const membershipExtra = extraBeside(Object.keys(organizationMembershipFields));

const userRead = recordsTo('users', userFields)(ranks.page);

export const userProjections: { [Kind in Kinds]: Projection<Kind> } = {
  'user.read': userRead,
  'organization_membership.gone': notListedIn('organization_memberships', organizationMembershipFields),
  'organization_membership.read': ({ payload, observed, tie }) => {
    const { uri } = payload;
    // A user with a URI is stored in its own row; one without stays with the membership.
    const read = readRecord(userSchema, payload.user);
    const user = read.ok ? read.record : undefined;
    const isStored = read.ok || typeof (payload.user ?? '') === 'string';
    const extra = membershipExtra(payload);
    const record = { ...payload, deleted_at: null, extra: isStored ? extra : { ...extra, user: payload.user } };
    const version = versionOf({ updatedAt: payload.updated_at, observed, rank: ranks.page, tie });
    return {
      subject: { table: 'organization_memberships', uri },
      assignments: [
        assignmentTo('organization_memberships', organizationMembershipFields, { uri, version, record }),
        ...(user ? userRead({ payload: user, observed, tie }).assignments : []),
      ],
    };
  },
};
