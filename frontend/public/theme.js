// Runs before the first paint. Same key and rule as src/lib/theme.ts.
(function () {
  var choice = null;
  try {
    choice = localStorage.getItem('thaw-theme');
  } catch {
    // Storage may be forbidden; the default stands.
  }
  var light =
    choice === 'light' || (choice === 'system' && matchMedia('(prefers-color-scheme: light)').matches);
  document.documentElement.dataset.theme = light ? 'light' : 'dark';
})();
