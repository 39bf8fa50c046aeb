// Runs before the first paint: a page rendered at build time contains neither the theme nor the user. Uses the same
// keys and rules as src/product/theme.ts and src/product/identity.ts.
(function () {
  var dataset = document.documentElement.dataset;
  var choice = null;
  try {
    choice = localStorage.getItem('thaw-theme');
    if (JSON.parse(localStorage.getItem('thaw-chat-auth')).state.user.id) dataset.signedIn = '';
  } catch {
    // No stored user, or storage is blocked: keep the defaults.
  }
  var light =
    choice === 'light' || (choice === 'system' && matchMedia('(prefers-color-scheme: light)').matches);
  // Without a choice the attribute is 'null'; src/styles/base.css then marks dark as chosen.
  dataset.themeChoice = choice;
  dataset.theme = light ? 'light' : 'dark';
  var bar = document.querySelector('meta[name="theme-color"]');
  if (bar) bar.content = light ? '#fbfaf7' : '#0c0e14';

  // Before hydration buttons have no handlers: remember the press, which src/product/early-press.ts repeats. While
  // `data-pressed` is set, src/styles/base.css replaces the label of a button by the text in its `data-pending`.
  var press = { button: null };
  var remember = function (event) {
    press.button = event.target.closest('button') || press.button;
    if (press.button && press.button.dataset.pending) dataset.pressed = '';
  };
  press.stop = function () {
    delete dataset.pressed;
    removeEventListener('click', remember, true);
  };
  addEventListener('click', remember, true);
  window.thawEarlyPress = press;

  // Load the scripts after the first paint: a rendered page already shows what they would draw.
  addEventListener('DOMContentLoaded', function () {
    var scriptsMeta = document.querySelector('meta[name="thaw-scripts"]');
    // Only the landing page shows buttons before hydration.
    if (!scriptsMeta || location.pathname !== '/') press.stop();
    if (!scriptsMeta) return;
    var files = scriptsMeta.content.split(' ');
    var start = function () {
      for (var file of files) {
        var link = document.createElement('link');
        link.rel = 'modulepreload';
        link.crossOrigin = '';
        link.href = file;
        document.head.append(link);
      }
      // The first file is the entry script.
      import(files[0]);
    };
    if (document.hidden) start();
    else requestAnimationFrame(() => setTimeout(start));
  });
})();
