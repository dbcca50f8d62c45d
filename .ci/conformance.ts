// `npm run conformance`: writes docs/proof/conformance.md from the rows of test/conformance.
import { writeFileSync } from 'node:fs';
import { conformancePage, readRows } from './conformance-page.ts';

writeFileSync('docs/proof/conformance.md', conformancePage(readRows('test/conformance')));
