// The documentation page: everything is on it, and it needs nothing from elsewhere.
import { describe, expect, it } from 'vitest';
import { eventKinds } from '#schemas/events.ts';
import { openForSuite } from '../../../harness/sandbox/suite.ts';
import { operations } from '../../../harness/sandbox.ts';
import { controls } from '#src/sandbox/controls/control-routes.ts';

const sandbox = openForSuite();

describe('the pages under /_sandbox', () => {
  const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${sandbox.handles.base_url}/_sandbox${path}`, { headers, redirect: 'manual' });

  it('begin with an index that names every control, and sends a browser to the page', async () => {
    const { body } = await sandbox.control('GET', '');
    expect(body.controls).toHaveLength(controls.length);
    for (const key of ['page', 'openapi', 'controls_openapi']) expect((await fetch(body[key])).status).toBe(200);
    const toBrowser = await get('', { accept: 'text/html,application/xhtml+xml' });
    expect([toBrowser.status, toBrowser.headers.get('location')]).toEqual([302, '/_sandbox/docs']);
  });

  it('show every operation, control, event and schema, and every link within the page has a target', async () => {
    const page = await (await get('/docs')).text();
    for (const { path } of operations) expect(page).toContain(path);
    for (const { path } of controls) expect(page).toContain(`/_sandbox${path}`);
    for (const event of Object.keys(eventKinds)) expect(page).toContain(event);
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect([...page.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id).filter((id) => !ids.includes(id))).toEqual([]);
  });

  it('need nothing from elsewhere, and would not be let', async () => {
    const answer = await get('/docs');
    const page = await answer.text();
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('unsafe');
    const own = sandbox.handles.base_url;
    const outside = [...page.matchAll(/(?:src|href)="([^"#][^"]*)"/g)].map(([, link = '']) => link);
    expect(outside.filter((link) => !/^(\/|data:)/.test(link) && !link.startsWith(own))).toEqual([]);
  });
});
