import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { allEventKinds } from '#schemas/events.ts';
import { loadConfig } from '#src/config/load.ts';
import { neededScopes, scopePurposes } from '#src/upstream/needed-scopes.ts';

it('the scopes that a configuration needs are those of the events, and those of every command', () => {
  expect(neededScopes(loadConfig({}), allEventKinds)).toEqual(
    expect.arrayContaining(
      Object.keys(scopePurposes).filter((scope) => scope !== 'groups' && scope !== 'scheduled_events:write'),
    ),
  );
  const few = neededScopes(loadConfig({}), ['contact.created']);
  expect(few).toEqual(['users:read', 'organizations:read', 'contacts:read', 'webhooks:write']);
  expect(neededScopes(loadConfig({ ANSWERS: 'on' }), allEventKinds)).toContain('scheduled_events:write');
  expect(neededScopes(loadConfig({ GROUP_URI: 'https://api.example.test/groups/1' }), allEventKinds)).toContain(
    'groups',
  );
});

it('the documentation lists every scope with what needs it', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/configuration.md'), 'utf8');
  for (const [scope, purpose] of Object.entries(scopePurposes)) expect(page).toContain(`| \`${scope}\` | ${purpose} |`);
});
