import { useLayoutEffect, type RefObject } from 'react';

/** Room for six lines of text and the padding of the field. */
const maximumHeightPx = 168;

const resizeToContent = (area: HTMLTextAreaElement): void => {
  // `scrollHeight` is never below the current height, so the height is reset first.
  area.style.height = 'auto';
  area.style.height = `${Math.min(area.scrollHeight, maximumHeightPx)}px`;
};

/** Resizes the field from one line to six when its text or its width changes. */
export const useFieldHeight = (field: RefObject<HTMLTextAreaElement | null>, text: string): void => {
  useLayoutEffect(() => {
    if (field.current) resizeToContent(field.current);
  }, [field, text]);
  useLayoutEffect(() => {
    const area = field.current;
    if (!area) return;
    let widthPx = area.clientWidth;
    const observer = new ResizeObserver(() => {
      // `resizeToContent` also triggers the observer, but changes only the height.
      if (area.clientWidth === widthPx) return;
      widthPx = area.clientWidth;
      resizeToContent(area);
    });
    observer.observe(area);
    return () => observer.disconnect();
  }, [field]);
};
