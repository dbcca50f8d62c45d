// Guards against the token of another organization: with it every row would look deleted.
import { z } from 'zod';
import { SlotstreamError } from '#src/base/errors.ts';
import type { Store } from '#src/store/contract.ts';
import { changeValue, keyValue, readValue } from '#src/store/key-value.ts';
import type { Sources } from './sources.ts';

const mirrored = z.object({ origin: z.string(), organization: z.string() });

const identity = keyValue('mirrored', mirrored);

/** Refuses the token of another organization. The first run that writes records the organization (`claims`). */
export async function requireSameOrganization(
  { store, sources }: { readonly store: Store; readonly sources: Sources },
  { claims }: { readonly claims: boolean },
): Promise<void> {
  const asked = { origin: sources.client.origin, organization: sources.organization };
  const known = await readValue(store, identity);
  if (known !== undefined) return requireSame(known, asked);
  if (!claims) return;
  await changeValue(store, identity, (first) => {
    if (first === undefined) return { result: undefined, after: asked };
    requireSame(first, asked);
    return { result: undefined };
  });
}

type Mirrored = z.output<typeof mirrored>;

function requireSame(known: Mirrored, asked: Mirrored): void {
  if (known.origin === asked.origin && known.organization === asked.organization) return;
  throw new SlotstreamError(
    'config',
    `The mirror belongs to ${named(known)}, the token to ${named(asked)}. Nothing was compared or written.`,
    {
      hint: 'Set DATABASE_URL to another database for this organization, or API_TOKEN (or the login) to the right one.',
    },
  );
}

const named = ({ origin, organization }: Mirrored): string => `${organization} at ${origin}`;
