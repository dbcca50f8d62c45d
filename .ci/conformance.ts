// `npm run conformance`: writes docs/proof/conformance.md from the rows of test/conformance and the results of `npm run clients`.
import { writeFileSync } from 'node:fs';
import { conformancePage, readClients, readRows } from './conformance-page.ts';

writeFileSync(
  'docs/proof/conformance.md',
  conformancePage(readRows('test/conformance'), readClients('test/clients/results.json')),
);
