// The pages of the package: what README.md and messages of the program point to is installed with it.
import { cpSync } from 'node:fs';
import { join } from 'node:path';

const pages = [
  'README.md',
  'LICENSE',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CODE_OF_CONDUCT.md',
  '.env.example',
  'compose.yaml',
  'docs',
];

export function copyPages(from: string, to: string): void {
  for (const page of pages) cpSync(join(from, page), join(to, page), { recursive: true });
}
