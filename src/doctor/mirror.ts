// The mirror that checks of `doctor` look into, where there is one; the check of the store says when there is none.
import { openMirror } from '#src/app/mirror.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import type { Store } from '#src/store/contract.ts';
import type { Patient } from './check.ts';

export async function openMirrorIfAny({ config, log }: Pick<Patient, 'config' | 'log'>): Promise<Store | undefined> {
  try {
    return await openMirror(config, log);
  } catch (error) {
    if (error instanceof SlotstreamError && error.code === 'no_mirror') return undefined;
    throw error;
  }
}
