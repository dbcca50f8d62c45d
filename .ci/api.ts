// `npm run api`: writes src/library/api.d.ts, the types of everything that programs can import.
import { writeFileSync } from 'node:fs';
import { apiDeclarations } from './api-declarations.ts';

writeFileSync('src/library/api.d.ts', apiDeclarations());
