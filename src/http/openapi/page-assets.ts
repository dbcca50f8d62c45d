// The style and the script of the documentation page. Both are inline, and the content security policy names them by hash.

/** Light and dark. */
export const pageStyle = `
:root {
  color-scheme: light dark;
  --paper: light-dark(#fbfaf7, #14171a);
  --card: light-dark(#ffffff, #1c2024);
  --rail: light-dark(#f2f0ea, #101315);
  --ink: light-dark(#1d2326, #e6e8ea);
  --soft: light-dark(#5b6468, #9aa4ab);
  --line: light-dark(#e2dfd6, #2d3338);
  --accent: light-dark(#0a6d7a, #5fc7d4);
  --get: light-dark(#0b6b4f, #5fd3a8);
  --post: light-dark(#8a4b00, #f0b15e);
  --patch: light-dark(#5a3fa6, #b7a3f5);
  --delete: light-dark(#a3243b, #f58a9c);
  --event: light-dark(#0a5fa8, #7dbcf5);
  --mono: ui-monospace, 'SF Mono', 'Cascadia Code', 'DejaVu Sans Mono', monospace;
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body {
  margin: 0; display: grid; grid-template-columns: 19rem minmax(0, 1fr);
  background: var(--paper); color: var(--ink);
  font: 15px/1.55 system-ui, 'Segoe UI', 'Liberation Sans', sans-serif;
}
[hidden] { display: none !important; }
a { color: var(--accent); text-underline-offset: .2em; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
code, pre { font-family: var(--mono); font-size: .88em; }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: 1rem; background: var(--card); padding: .5rem 1rem; z-index: 2; }

nav { position: sticky; top: 0; height: 100vh; overflow: hidden auto; scrollbar-width: thin; padding: 1.5rem 1.25rem 3rem; background: var(--rail); border-right: 1px solid var(--line); }
nav h2 { margin: 1.4rem 0 .35rem; font-size: .74rem; letter-spacing: .08em; text-transform: uppercase; }
nav h2 a { color: var(--soft); text-decoration: none; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav li a { display: flex; gap: .5rem; align-items: baseline; padding: .16rem .4rem; margin: 0 -.4rem; border-radius: 6px; color: var(--ink); text-decoration: none; font-size: .86rem; }
nav li a:hover { background: var(--card); }
nav .method { font-size: .6rem; min-width: 2.9rem; padding: 0; background: none; text-align: left; }
.brand { margin: 0 0 1rem; font-weight: 700; font-size: 1.15rem; letter-spacing: -.01em; }
.brand::before { content: ''; display: inline-block; width: .8rem; height: .8rem; margin-right: .5rem; border-radius: 4px; background: var(--accent); }
.filter span { display: block; font-size: .74rem; color: var(--soft); }
.filter input { width: 100%; padding: .45rem .6rem; border: 1px solid var(--line); border-radius: 8px; background: var(--card); color: inherit; font: inherit; font-size: .86rem; }

main { padding: 3rem clamp(1rem, 4vw, 4rem) 6rem; max-width: 68rem; }
header { margin-bottom: 3rem; }
h1 { margin: 0; font-size: 2.4rem; line-height: 1.15; letter-spacing: -.025em; }
.lead { max-width: 44rem; margin: .8rem 0 1.4rem; font-size: 1.12rem; color: var(--soft); }
.numbers { display: flex; flex-wrap: wrap; gap: .75rem; list-style: none; margin: 0 0 1.4rem; padding: 0; }
.numbers li { padding: .7rem 1.1rem; border: 1px solid var(--line); border-radius: 12px; background: var(--card); color: var(--soft); }
.numbers strong { font-size: 1.5rem; color: var(--ink); margin-right: .25rem; font-variant-numeric: tabular-nums; }
.links { display: flex; flex-wrap: wrap; gap: .4rem 1.4rem; }
pre { margin: .5rem 0; padding: .8rem 1rem; overflow-x: auto; border-radius: 10px; background: light-dark(#20272b, #0d1012); color: #dfe7ea; }

.chapter { margin: 0 0 2.6rem; }
.chapter > h2 { margin: 0 0 .6rem; font-size: 1.3rem; letter-spacing: -.01em; }
.about { margin: -.2rem 0 .8rem; color: var(--soft); }
.operation { margin-bottom: .5rem; border: 1px solid var(--line); border-radius: 12px; background: var(--card); }
.operation[open] { border-color: color-mix(in srgb, var(--accent) 45%, var(--line)); box-shadow: 0 6px 24px -14px #0006; }
.operation > summary { display: flex; flex-wrap: wrap; gap: .35rem .7rem; align-items: center; padding: .62rem .9rem; cursor: pointer; list-style: none; border-radius: 12px; }
.operation > summary::-webkit-details-marker { display: none; }
.operation > summary:hover { background: color-mix(in srgb, var(--accent) 7%, transparent); }
.path { font-weight: 600; font-size: .92em; overflow-wrap: anywhere; }
.summary { color: var(--soft); flex: 1 1 12rem; }
.method { flex: none; min-width: 4.2rem; padding: .12rem .5rem; border-radius: 6px; font: 700 .7rem/1.5 var(--mono); text-align: center; color: var(--tone); background: color-mix(in srgb, var(--tone) 14%, transparent); }
.GET { --tone: var(--get); } .POST { --tone: var(--post); } .PATCH { --tone: var(--patch); } .DELETE { --tone: var(--delete); } .EVENT { --tone: var(--event); }
.scope, .optional, .required, .status { flex: none; padding: .05rem .45rem; border-radius: 99px; font-size: .74rem; white-space: nowrap; }
.scope { border: 1px solid var(--line); font-family: var(--mono); color: var(--soft); }
.optional { color: var(--soft); border: 1px dashed var(--line); }
.required { color: var(--post); background: color-mix(in srgb, var(--post) 13%, transparent); }
.status { font-family: var(--mono); font-weight: 700; }
.good { color: var(--get); background: color-mix(in srgb, var(--get) 14%, transparent); }
.bad { color: var(--delete); background: color-mix(in srgb, var(--delete) 11%, transparent); margin-left: .6rem; }
.bad:first-child { margin-left: 0; }
.errors { color: var(--soft); font-size: .88rem; line-height: 2; }
.inside { padding: .2rem 1.1rem 1.1rem; border-top: 1px solid var(--line); }
h4 { margin: 1.1rem 0 .4rem; font-size: .74rem; letter-spacing: .08em; text-transform: uppercase; color: var(--soft); }
.scroll { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-size: .9rem; }
th, td { padding: .4rem .6rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); font-weight: 400; }
thead th { color: var(--soft); font-size: .78rem; }
td p { margin: 0; }
.fields { list-style: none; margin: .2rem 0; padding: 0; font-size: .92rem; }
.fields .fields { margin: .3rem 0 .3rem .3rem; padding-left: 1rem; border-left: 2px solid var(--line); }
.fields li { padding: .16rem 0; }
.name { font-weight: 600; margin-right: .5rem; }
.type { color: var(--soft); margin: 0 .4rem 0 0; }
.note { color: var(--soft); font-size: .84em; margin-left: .35rem; }
.note::before { content: '· '; }
.or { margin: .5rem 0 .1rem; font-size: .8rem; font-style: italic; color: var(--soft); }

@media (max-width: 60rem) {
  body { display: block; }
  nav { position: static; height: auto; max-height: 45vh; border-right: 0; border-bottom: 1px solid var(--line); }
}
@media (max-width: 40rem) {
  table, tbody, tr, th, td { display: block; }
  thead { position: absolute; clip-path: inset(50%); }
  tr { padding: .5rem 0; border-bottom: 1px solid var(--line); }
  tbody th, td { padding: .1rem 0; border: 0; }
  tbody th, td:first-of-type { display: inline; margin-right: .5rem; }
  tbody th { font-weight: 600; }
  td:first-of-type { color: var(--soft); }
}
@media print { nav { display: none; } body { display: block; } .operation { break-inside: avoid; } }
`;

/** Opens the entry that a link points at, and hides the entries that the filter does not match. */
export const pageScript = `
'use strict';
const open = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target instanceof HTMLDetailsElement) {
    target.open = true;
    target.scrollIntoView();
  }
};
addEventListener('hashchange', open);
open();

const filter = document.getElementById('filter');
filter.addEventListener('input', () => {
  const words = filter.value.toLowerCase().split(/\\s+/).filter(Boolean);
  for (const entry of document.querySelectorAll('[data-words]')) {
    const text = entry.dataset.words.toLowerCase();
    entry.hidden = !words.every((word) => text.includes(word));
  }
  for (const section of document.querySelectorAll('nav section, .chapter'))
    section.hidden = words.length > 0 && section.querySelector('[data-words]:not([hidden])') === null;
});
addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target instanceof HTMLInputElement) return;
  event.preventDefault();
  filter.focus();
});
`;
