// The signing keys: there, and hard to guess.
import { openKeyRing } from '#src/signing/key-ring.ts';
import type { Check } from './check.ts';
import { doubtful, ill, well } from './finding.ts';

export const checkKeys: Check = async ({ config, now }) => {
  const { keys, allowUnsigned } = config.signing;
  if (allowUnsigned)
    return [
      ill(
        'signing key',
        'ALLOW_UNSIGNED accepts deliveries from anyone.',
        'Set SIGNING_KEYS and remove ALLOW_UNSIGNED.',
      ),
    ];
  const ring = openKeyRing({ keys, dataDir: config.dataDir, generate: false, allowUnsigned });
  if (ring.warnings.length > 0)
    return ring.warnings.map((text) =>
      doubtful('signing key', `${text}.`, 'Use 32 random bytes: openssl rand -base64 32'),
    );
  const count = ring.keysAt(now().getTime()).length;
  return [well('signing key', `${count} ${count === 1 ? 'key verifies' : 'keys verify'}, from the ${ring.source}.`)];
};
