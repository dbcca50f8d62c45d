// The one script of the dashboard. Every page works without it.
(() => {
  const root = document.documentElement;
  root.dataset.script = '';
  const theme = localStorage.getItem('theme');
  if (theme) root.dataset.theme = theme;
})();
