// `npm run tables`: writes the tables of columns in docs/tables.md and docs/views.md from the dictionary and the views.
import { readFileSync, writeFileSync } from 'node:fs';
import { withTables, withViews } from './tables-page.ts';

writeFileSync('docs/tables.md', withTables(readFileSync('docs/tables.md', 'utf8')));
writeFileSync('docs/views.md', withViews(readFileSync('docs/views.md', 'utf8')));
