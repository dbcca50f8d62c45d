// The style and the script of the documentation page. Both are inline, and the content security policy names them by hash.

export const pageStyle = `
:root {
  color-scheme: light dark;
  --paper: light-dark(#fbfaf7, #14171a); --card: light-dark(#fff, #1c2024); --line: light-dark(#e2dfd6, #2d3338);
  --ink: light-dark(#1d2326, #e6e8ea); --soft: light-dark(#5b6468, #9aa4ab); --accent: light-dark(#0a6d7a, #5fc7d4);
  --good: light-dark(#0b6b4f, #5fd3a8); --warm: light-dark(#8a4b00, #f0b15e); --bad: light-dark(#a3243b, #f58a9c);
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.55 system-ui, 'Segoe UI', 'Liberation Sans', sans-serif; }
[hidden] { display: none !important; }
a { color: var(--accent); text-underline-offset: .2em; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
code, pre { font-family: ui-monospace, 'SF Mono', 'DejaVu Sans Mono', monospace; font-size: .88em; overflow-wrap: anywhere; }
pre { padding: .8rem 1rem; overflow-x: auto; border-radius: 10px; background: light-dark(#20272b, #0d1012); color: #dfe7ea; }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: 1rem; background: var(--card); padding: .5rem 1rem; }
nav { position: sticky; top: 0; z-index: 1; display: flex; flex-wrap: wrap; gap: .2rem 1rem; align-items: center; padding: .6rem clamp(1rem, 4vw, 4rem); background: var(--card); border-bottom: 1px solid var(--line); font-size: .86rem; }
nav input { padding: .3rem .6rem; border: 1px solid var(--line); border-radius: 8px; background: var(--paper); color: inherit; font: inherit; }
main { max-width: 64rem; margin: auto; padding: 2.5rem clamp(1rem, 4vw, 3rem) 6rem; }
h1 { margin: 0; font-size: 2.2rem; line-height: 1.15; letter-spacing: -.02em; }
.chapter > h2 { margin: 2.4rem 0 .6rem; font-size: 1.3rem; }
h4 { margin: 1.1rem 0 .3rem; font-size: .74rem; letter-spacing: .08em; text-transform: uppercase; color: var(--soft); }
.lead, .about, .summary, .type, .note, .errors { color: var(--soft); }
.lead { font-size: 1.1rem; }
.links { display: flex; flex-wrap: wrap; gap: .4rem 1.4rem; }
.operation { margin-bottom: .5rem; border: 1px solid var(--line); border-radius: 12px; background: var(--card); scroll-margin-top: 6rem; }
.operation > summary { display: flex; flex-wrap: wrap; gap: .35rem .7rem; align-items: baseline; padding: .6rem .9rem; cursor: pointer; }
.inside { padding: .2rem 1.1rem 1.1rem; border-top: 1px solid var(--line); }
.path, .name { font-weight: 600; }
.method { min-width: 3.8rem; font: 700 .72rem/1.5 ui-monospace, monospace; color: var(--warm); }
.method.GET { color: var(--good); } .method.DELETE { color: var(--bad); } .method.EVENT { color: var(--accent); }
.scope, .flag, .status { padding: .05rem .45rem; border: 1px solid var(--line); border-radius: 99px; font-size: .74rem; }
.required { color: var(--warm); } .good { color: var(--good); } .bad { color: var(--bad); }
.fields { list-style: none; margin: .2rem 0; padding: 0; font-size: .92rem; }
.fields .fields { margin-left: .3rem; padding-left: 1rem; border-left: 2px solid var(--line); }
.fields li { padding: .16rem 0; }
.or { margin: .5rem 0 .1rem; font-style: italic; color: var(--soft); }
@media (max-width: 40rem) { nav { position: static; } }
@media print { nav { display: none; } .operation { break-inside: avoid; } }
`;

/** Opens the entry that a link points at, and hides the entries that the filter does not match. */
export const pageScript = `
'use strict';
const filter = document.getElementById('filter');
const applyFilter = () => {
  const words = filter.value.toLowerCase().split(/\\s+/).filter(Boolean);
  for (const entry of document.querySelectorAll('[data-words]'))
    entry.hidden = !words.every((word) => entry.dataset.words.toLowerCase().includes(word));
  for (const chapter of document.querySelectorAll('.chapter'))
    chapter.hidden = words.length > 0 && chapter.querySelector('[data-words]:not([hidden])') === null;
};
filter.addEventListener('input', applyFilter);

const open = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!(target instanceof HTMLDetailsElement)) return;
  // A link may point at what the filter hides.
  if (target.closest('[hidden]') !== null) {
    filter.value = '';
    applyFilter();
  }
  target.open = true;
  target.scrollIntoView();
};
addEventListener('hashchange', open);
open();

addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target instanceof HTMLInputElement) return;
  event.preventDefault();
  filter.focus();
});
`;
