// Which organization the mirror belongs to, and whether the first backfill has completed. Guards against the token of another
// organization: with it every row would look deleted, and the webhooks of both would be mixed.
import type { z } from 'zod';
import { SlotstreamError } from '#src/base/errors.ts';
import type { Store } from '#src/store/contract.ts';
import { changeValue, readValue } from '#src/store/key-value.ts';
import { mirrorIdentity } from '#workers/pipeline/organization.ts';

/** The organization of a token, and the service it is of. */
export type Account = Pick<z.output<(typeof mirrorIdentity)['schema']>, 'origin' | 'organization'>;

/** Refuses the token of another organization. The first run that writes records the organization (`claims`). */
export async function requireSameOrganization(
  store: Store,
  { origin, organization }: Account,
  { claims }: { readonly claims: boolean },
): Promise<void> {
  const asked = { origin, organization, filled: false };
  const known = await readValue(store, mirrorIdentity);
  if (known !== undefined) return requireSame(known, asked);
  if (!claims) return;
  await changeValue(store, mirrorIdentity, (first) => {
    if (first === undefined) return { result: undefined, after: asked };
    requireSame(first, asked);
    return { result: undefined };
  });
}

function requireSame(known: Account, asked: Account): void {
  if (known.origin === asked.origin && known.organization === asked.organization) return;
  throw new SlotstreamError(
    'other_organization',
    `The mirror belongs to ${named(known)}, the token to ${named(asked)}. Nothing was compared or changed.`,
    {
      hint: 'Set DATABASE_URL to another database for this organization, or API_TOKEN (or the login) to the right one.',
    },
  );
}

export const isOtherOrganization = (error: unknown): error is SlotstreamError =>
  error instanceof SlotstreamError && error.code === 'other_organization';

const named = ({ origin, organization }: Account): string =>
  organization.startsWith(`${origin}/`) ? organization : `${organization} at ${origin}`;

/** Whether `bootstrap` or `backfill` has run. */
export async function hasOrganization(store: Pick<Store, 'db' | 'engine'>): Promise<boolean> {
  return (await readValue(store, mirrorIdentity)) !== undefined;
}

/** Whether a first backfill has completed. Until then every row that it has not copied yet would count as drift. */
export async function isFilled(store: Pick<Store, 'db' | 'engine'>): Promise<boolean> {
  return (await readValue(store, mirrorIdentity))?.filled ?? false;
}

/** When the first backfill completed. */
export async function filledAt(store: Pick<Store, 'db' | 'engine'>): Promise<string | undefined> {
  return (await readValue(store, mirrorIdentity))?.filled_at;
}

/** Called when everything was copied. */
export function recordFilled(store: Store, at: string): Promise<void> {
  return changeValue(store, mirrorIdentity, (known) => {
    if (known === undefined || known.filled) return { result: undefined };
    return { result: undefined, after: { ...known, filled: true, filled_at: at } };
  });
}
