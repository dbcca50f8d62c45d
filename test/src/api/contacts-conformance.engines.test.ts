// The rows of GET /contacts, as they are tried on the sandbox, tried on the mirror on SQLite; and those that do not concern it, with
// the reason. That a search finds the same on PostgreSQL is proven by test/src/read/contacts/contact-page.engines.test.ts.
import { describe, expect, it } from 'vitest';
import { tryOn } from '../../conformance/rows.ts';
import { openMirroredService } from '../../harness/mirror/mirrored-service.ts';
import { freshSqlite } from '../../harness/stores.ts';

const oneToken = 'the listener has one token, which may read everything: no scopes, roles or plans';
const ownBody = 'the listener turns away before it knows what was asked for, in words of its own';
const sixDigits = 'the mirror keeps every time with six fractional digits';
const ignored = 'parameters that the service does not know are ignored, as the public service does';
const everyList = 'walks every list of the service, most of which the mirror does not offer';

/** By title; or by how it begins. */
const others: Readonly<Record<string, string>> = {
  'Authentication 3: custom fields on contacts reuse contacts:read; no new scopes exist for them': oneToken,
  'GET /contacts: required scope: `contacts:read`': oneToken,
  'Scopes: contacts:write implicitly includes contacts:read': oneToken,
  'Permission denied: contacts list: ': oneToken,
  'GET /contacts: errors: 401': ownBody,
  'GET /contacts: errors: 400': ignored,
  'Conventions 5: some contact timestamps carry no or three fractional digits': sixDigits,
  'Pagination, ': everyList,
  'Pagination: every page has these five fields and no others': everyList,
  'Conventions 3: the link to the next page asks for the same rows': everyList,
  'page_token (A13): a token belongs to one list in one order': everyList,
  'page_token (A13): a token alone leads on': everyList,
  'page_token (A13): a token holds for a day':
    'the clock of the sandbox is not that of the mirror; the tokens are the same',
};

const taken: string[] = [];
const left = new Set<string>();
tryOn({
  open: (options) => openMirroredService(freshSqlite, options),
  concerns(title) {
    const why = Object.keys(others).find((start) => title.startsWith(start));
    if (why === undefined) taken.push(title);
    else left.add(why);
    return why === undefined;
  },
});
await import('../../conformance/contacts.test.ts');
await import('../../conformance/pagination.test.ts');

describe('the mirror', () => {
  it('is tried on every row of GET /contacts but those that do not concern it', () => {
    expect(taken.filter((title) => title.startsWith('GET /contacts')).length).toBeGreaterThan(25);
    expect([...left].toSorted()).toEqual(Object.keys(others).toSorted());
  });
});
