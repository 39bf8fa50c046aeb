import { useEffect, useState, type RefObject } from 'react';

/** Elements up to this far outside the viewport count as seen. */
const observerMargin = '200px';

/** Whether the element has ever been in or near the viewport; always true without IntersectionObserver. */
export const useWasSeen = (element: RefObject<Element | null>): boolean => {
  const canObserve = typeof IntersectionObserver === 'function';
  const [wasSeen, setSeen] = useState(!canObserve);
  useEffect(() => {
    if (wasSeen || !element.current) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setSeen(true);
      },
      { rootMargin: observerMargin },
    );
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element, wasSeen]);
  return wasSeen;
};
