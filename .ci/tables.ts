// `npm run tables`: writes the tables of columns in docs/tables.md and docs/views.md, and the rights in docs/examples/read-only-role.sql, from
// the declarations and the views.
import { readFileSync, writeFileSync } from 'node:fs';
import { withRights } from './read-only-role.ts';
import { withTables, withViews } from './tables-page.ts';

writeFileSync('docs/tables.md', withTables(readFileSync('docs/tables.md', 'utf8')));
writeFileSync('docs/views.md', withViews(readFileSync('docs/views.md', 'utf8')));
const role = 'docs/examples/read-only-role.sql';
writeFileSync(role, withRights(readFileSync(role, 'utf8')));
