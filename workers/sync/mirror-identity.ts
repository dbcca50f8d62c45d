// Which organization the mirror belongs to, and whether the first backfill has completed. Guards against the token of another
// organization: with it every row would look deleted, and the webhooks of both would be mixed.
import { SlotstreamError } from '#src/base/errors.ts';
import type { Store } from '#src/store/contract.ts';
import { noteTokenUser } from '#src/store/token-user.ts';
import { changeRow, readAccount, type StoredAccount } from '#src/store/settings-row.ts';

/** The organization of a token, and the service it is of. */
export interface Account {
  readonly origin: string;
  readonly organization: string;
  /** The organization, or the group for which webhooks are registered; undefined where nothing is registered. */
  readonly owner?: string;
  /** The user of the token; undefined where the service does not say it. */
  readonly user?: string | undefined;
}

/** Refuses the token of another organization. The first run that writes records the organization (`claims`). */
export async function requireSameOrganization(
  store: Store,
  asked: Account,
  { claims }: { readonly claims: boolean },
): Promise<void> {
  const known = await readAccount(store);
  requireSame(known, asked);
  const { origin, organization, owner = null, user } = asked;
  if (claims && user !== undefined) await noteTokenUser(store, user);
  if (!claims || (known.organization !== null && (owner === null || known.owner !== null))) return;
  await changeRow(store, (row) => {
    requireSame(row, asked);
    return { origin, organization, owner: row.owner ?? owner };
  });
}

function requireSame({ origin, organization, owner }: StoredAccount, asked: Account): void {
  if (origin !== null && organization !== null && (origin !== asked.origin || organization !== asked.organization))
    throw new SlotstreamError(
      'other_organization',
      `The mirror belongs to ${named({ origin, organization })}, the token to ${named(asked)}. Nothing was compared or changed.`,
      {
        hint: 'Set DATABASE_URL to another database for this organization, or API_TOKEN (or the login) to the right one.',
      },
    );
  if (asked.owner !== undefined && owner !== null && owner !== asked.owner) throw otherOwner(owner, asked.owner);
}

const otherOwner = (known: string, asked: string): SlotstreamError =>
  new SlotstreamError(
    'other_organization',
    `The mirror is registered for ${known}, and this environment for ${asked}. Nothing was changed.`,
    { hint: `Set DATABASE_URL to another database for ${asked}, or correct GROUP_URI.` },
  );

/** What an environment says of the account without a call of the service. */
interface StatedAccount {
  readonly organizationUri: string | undefined;
  readonly groupUri: string | undefined;
}

/** For a process that is about to work: another organization or group is another mirror. */
export async function requireStatedAccount(
  store: Pick<Store, 'db' | 'engine'>,
  { organizationUri, groupUri }: StatedAccount,
): Promise<void> {
  const { organization, owner } = await readAccount(store);
  if (organizationUri !== undefined && organization !== null && organization !== organizationUri)
    throw new SlotstreamError(
      'other_organization',
      `The mirror belongs to ${organization}, and ORGANIZATION_URI is ${organizationUri}.`,
      { hint: `Set DATABASE_URL to another database for ${organizationUri}, or correct ORGANIZATION_URI.` },
    );
  if (groupUri !== undefined && owner !== null && owner !== groupUri) throw otherOwner(owner, groupUri);
}

export const isOtherOrganization = (error: unknown): error is SlotstreamError =>
  error instanceof SlotstreamError && error.code === 'other_organization';

const named = ({ origin, organization }: Pick<Account, 'origin' | 'organization'>): string =>
  organization.startsWith(`${origin}/`) ? organization : `${organization} at ${origin}`;

/** Whether `bootstrap` or `backfill` has run. */
export async function hasOrganization(store: Pick<Store, 'db' | 'engine'>): Promise<boolean> {
  return (await readAccount(store)).organization !== null;
}
