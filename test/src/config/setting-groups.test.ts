// The groups of the settings: what must be set is first, and no setting is outside of them.
import { expect, it } from 'vitest';
import { groupedSettings, groupOf } from '#src/config/setting-groups.ts';
import { settings } from '#src/config/variables.ts';

it('every setting is in one group, and the three that must be set are the first', () => {
  const groups = groupedSettings(Object.keys(settings), (name) => name);
  expect(groups[0]).toEqual(['Set these', ['PUBLIC_URL', 'API_TOKEN']]);
  expect(groups.flatMap(([, names]) => names).toSorted()).toEqual(Object.keys(settings).toSorted());
  expect(groups.at(-1)).toEqual(['Other', ['LOG_LEVEL']]);
  expect(groupOf('ALERT_OF_TOMORROW')).toBe('Alerts');
});
