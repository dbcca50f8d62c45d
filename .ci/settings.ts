// `npm run settings`: writes .env.example and the README's configuration table from the table of settings.
import { readFileSync, writeFileSync } from 'node:fs';
import { envExample, withSettingsTable } from './settings-pages.ts';

writeFileSync('.env.example', envExample());
writeFileSync('README.md', withSettingsTable(readFileSync('README.md', 'utf8')));
