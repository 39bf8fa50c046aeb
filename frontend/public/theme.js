// Runs before the first paint: a page rendered at build time contains neither the theme nor the user. It also records
// early button presses, and loads the scripts after the first paint.
(function () {
  var dataset = document.documentElement.dataset;

  showThemeAndSignIn();
  var earlyPress = recordPress();
  // Later than the first paint: a rendered page already shows what the scripts would draw.
  addEventListener('DOMContentLoaded', function () {
    var scriptsMeta = document.querySelector('meta[name="thaw-scripts"]');
    // Only the landing page shows buttons before hydration.
    if (!scriptsMeta || location.pathname !== '/') earlyPress.stop();
    if (scriptsMeta) loadAfterPaint(scriptsMeta.content.split(' '));
  });

  /** Uses the same keys and rules as src/product/theme.ts and src/product/identity.ts. */
  function showThemeAndSignIn() {
    var choice = null;
    try {
      choice = localStorage.getItem('thaw-theme');
      if (JSON.parse(localStorage.getItem('thaw-chat-auth')).state.user.id) dataset.signedIn = '';
    } catch {
      // No stored user, or storage is blocked: keep the defaults.
    }
    var isLight =
      choice === 'light' || (choice === 'system' && matchMedia('(prefers-color-scheme: light)').matches);
    dataset.theme = isLight ? 'light' : 'dark';
    // src/styles/base.css marks the chosen option of the theme control: dark, unless this is `light` or `system`.
    dataset.themeChoice = choice;
    var bar = document.querySelector('meta[name="theme-color"]');
    if (bar) bar.content = isLight ? '#fbfaf7' : '#0c0e14';
  }

  /**
   * Remembers the last button that is pressed before hydration, while buttons have no handlers.
   * src/product/early-press.ts then repeats the press.
   */
  function recordPress() {
    var press = {
      button: null,
      stop: function () {
        delete dataset.pressed;
        removeEventListener('click', remember, true);
      },
    };
    function remember(event) {
      var button = event.target.closest('button');
      if (button) press.button = button;
      // While `pressed` is set, src/styles/base.css shows the text in `data-pending` as the label of the button.
      if (press.button && press.button.dataset.pending) dataset.pressed = '';
    }
    addEventListener('click', remember, true);
    window.thawEarlyPress = press;
    return press;
  }

  /** @param {string[]} files  addresses of the scripts; the first is that of the entry script */
  function loadAfterPaint(files) {
    function load() {
      for (var file of files) {
        var link = document.createElement('link');
        link.rel = 'modulepreload';
        link.crossOrigin = '';
        link.href = file;
        document.head.append(link);
      }
      import(files[0]);
    }
    // A hidden page is not painted.
    if (document.hidden) load();
    else requestAnimationFrame(() => setTimeout(load));
  }
})();
