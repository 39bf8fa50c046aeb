import { useEffect } from 'react';

/**
 * Keeps `--app-height` equal to the height of the visual viewport. When the keyboard opens, iOS neither shrinks `dvh`
 * nor resizes the page, but pans it, which would move the header out of view and the composer under the keyboard.
 */
export const useAppHeight = (): void => {
  useEffect(() => {
    const viewport = window.visualViewport;
    // Only devices with a coarse pointer have an on-screen keyboard.
    if (!viewport || !window.matchMedia('(pointer: coarse)').matches) return;
    const { style } = document.documentElement;
    const updateHeight = (): void => {
      // Multiplied by the scale, because a pinch-zoomed viewport shows only a section of the page.
      style.setProperty('--app-height', `${Math.round(viewport.height * viewport.scale)}px`);
      // Undo the panning of iOS: at the reduced height the focused field is visible without panning. A zoomed page is
      // not moved, because the user may have panned it.
      if (viewport.scale <= 1 && viewport.offsetTop > 0) window.scrollTo(0, 0);
    };
    updateHeight();
    viewport.addEventListener('resize', updateHeight);
    viewport.addEventListener('scroll', updateHeight);
    return () => {
      viewport.removeEventListener('resize', updateHeight);
      viewport.removeEventListener('scroll', updateHeight);
      style.removeProperty('--app-height');
    };
  }, []);
};
