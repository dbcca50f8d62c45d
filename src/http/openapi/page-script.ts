// What the page does by itself: it opens what a link points at, and hides what the filter does not mention.

/** As it stands in the page; its hash is in the page's policy. */
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
