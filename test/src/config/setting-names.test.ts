// What other programs get of the environment.
import { expect, it } from 'vitest';
import type { Setting } from '#src/config/readers.ts';
import { environmentForOthers } from '#src/config/setting-names.ts';
import { settings } from '#src/config/variables.ts';

it('other programs get no setting, whichever of its names it is under, and nothing of .env (N5)', () => {
  const names = Object.entries<Setting>(settings).flatMap(([name, { alias }]) => [name, `${name}_FILE`, alias ?? name]);
  expect(names).toEqual(expect.arrayContaining(['SIGNING_KEY', 'REDIS_URL', 'ADMIN_TOKEN_FILE', 'AWS_DEFAULT_REGION']));
  const ours = Object.fromEntries([...names, 'PGPASSWORD', 'POSTGRES_PASSWORD'].map((name) => [name, 'secret']));
  const theirs = {
    PATH: '/bin',
    HOME: '/home/ada',
    LANG: 'C',
    NGROK_AUTHTOKEN: 'its own',
    HTTPS_PROXY: 'http://proxy',
  };
  expect(environmentForOthers({ ...ours, ...theirs }, ['POSTGRES_PASSWORD'])).toEqual(theirs);
});
