import { useEffect } from 'react';

/**
 * Keeps `--app-height` at the height that is in sight. For its keyboard iOS neither shrinks `dvh` nor resizes the
 * page, but pans it: the header would be out of sight and the composer under the keyboard.
 */
export const useAppHeight = (): void => {
  useEffect(() => {
    const viewport = window.visualViewport;
    if (!viewport || !window.matchMedia('(pointer: coarse)').matches) return;
    const { style } = document.documentElement;
    const follow = (): void => {
      // A page that is pinched keeps its size: what is in sight is a section of it.
      style.setProperty('--app-height', `${Math.round(viewport.height * viewport.scale)}px`);
      // The field that the page was panned for is in sight without it.
      if (viewport.scale <= 1 && viewport.offsetTop > 0) window.scrollTo(0, 0);
    };
    follow();
    viewport.addEventListener('resize', follow);
    viewport.addEventListener('scroll', follow);
    return () => {
      viewport.removeEventListener('resize', follow);
      viewport.removeEventListener('scroll', follow);
      style.removeProperty('--app-height');
    };
  }, []);
};
