// `npm run reach`: prints how much code each promise reaches, and writes it to test/reach/figures.txt and docs/architecture.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { figuresText, reachTable, withReachTable } from '../test/reach/figures.ts';
import { productSources } from '../test/reach/modules.ts';
import { figuresOf, promises, rules } from '../test/reach/promises.ts';
import { readProgram } from '../test/reach/reach.ts';

const figures = figuresOf(readProgram(productSources('.'), rules));
writeFileSync('test/reach/figures.txt', figuresText(figures));
writeFileSync('docs/architecture.md', withReachTable(readFileSync('docs/architecture.md', 'utf8'), promises, figures));
process.stdout.write(`${reachTable(promises, figures)}\n`);
