// What the specification says of GET /contacts is true of the mirror on SQLite.
import { storeEngines } from '../harness/stores.ts';
import { tryRowsOnMirror } from './mirror-conformance.ts';

await tryRowsOnMirror(storeEngines[0]);
