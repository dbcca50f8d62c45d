// Deliveries that name an organization: those of another one than the mirror's are quarantined, and no others.
import { describe, expect, it } from 'vitest';
import { changeRow } from '#src/store/settings-row.ts';
import { privacyScreen } from '#workers/fold/privacy/screen.ts';
import { rebuild } from '#workers/sync/rebuild.ts';
import { replay } from '#workers/sync/replay.ts';
import { openedAnew } from '../../../harness/opened.ts';
import { ingestBodies, oneEngine, rowsOf } from '../../../harness/stores.ts';

const origin = 'https://api.example.test';
const ours = `${origin}/organizations/ours`;
const screen = privacyScreen({ eraseOnDelete: true });

const body = (n: number, more: { envelope?: object; payload?: object; isNested?: boolean } = {}) => {
  const record = { uri: `${origin}/contacts/${n}`, updated_at: '2025-04-14T11:43:09Z', name: `n${n}`, emails: [] };
  const payload = more.isNested === true ? { contact: record } : record;
  return JSON.stringify({
    event: 'contact.updated',
    created_at: '2025-04-14T11:43:10Z',
    created_by: `${origin}/users/someone`,
    ...more.envelope,
    payload: { ...payload, ...more.payload },
  });
};

describe.each(oneEngine)('an organization in a delivery, on $name', (engine) => {
  const opened = openedAnew(engine.fresh);
  const claim = (organization = ours) => changeRow(opened.store, () => ({ origin, organization }));
  const names = async () => (await rowsOf(opened.store, 'contacts')).map(({ name }) => name).toSorted();

  it('decides where it is certain: in the envelope or the payload, by its identifier', async () => {
    await claim();
    const other = { organization: `${origin}/organizations/theirs` };
    const { entries } = await ingestBodies(opened.store, [
      body(1),
      body(2, { payload: { organization: 'https://other-host.example.test/organizations/ours' } }),
      body(3, { payload: { organization: 'not a URI' } }),
      body(4, { payload: { organization: { uri: other.organization } } }),
      body(5, { payload: other }),
      body(6, { envelope: other }),
      body(7, { payload: other, isNested: true }),
    ]);
    expect(await names()).toEqual(['n1', 'n2', 'n3', 'n4']);
    expect(entries.slice(4).map(({ outcome, reason }) => [outcome, reason])).toEqual(
      Array.from({ length: 3 }, () => ['quarantined', 'It is of another organization (theirs) than the mirror.']),
    );
  });

  it('decides nothing while no organization is recorded', async () => {
    await ingestBodies(opened.store, [body(1, { payload: { organization: `${origin}/organizations/theirs` } })]);
    expect(await names()).toEqual(['n1']);
  });

  it('keeps such a delivery out of a replay and a rebuild', async () => {
    await claim();
    await ingestBodies(opened.store, [body(1, { payload: { organization: `${origin}/organizations/theirs` } })]);
    const needs = { store: opened.store, screen };
    expect(await replay(needs, { unprojected: true })).toMatchObject({ changed: 0, stillQuarantined: 1 });
    await rebuild(needs);
    expect(await names()).toEqual([]);
    // The mirror turns out to be theirs.
    await claim(`${origin}/organizations/theirs`);
    expect(await replay(needs, { unprojected: true })).toMatchObject({ changed: 1 });
    expect(await names()).toEqual(['n1']);
  });
});
