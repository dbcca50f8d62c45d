// `npm run settings`: writes .env.example and the table in docs/configuration.md from the table of settings.
import { readFileSync, writeFileSync } from 'node:fs';
import { envExample, withSettingsTable } from './settings-pages.ts';

writeFileSync('.env.example', envExample());
writeFileSync('docs/configuration.md', withSettingsTable(readFileSync('docs/configuration.md', 'utf8')));
