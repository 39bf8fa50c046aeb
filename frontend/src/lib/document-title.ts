import { useEffect } from 'react';

export const productName = 'Thaw';

/** Names the page in the tab and in the history. */
export const useDocumentTitle = (title?: string): void => {
  useEffect(() => {
    document.title = title ? `${title} · ${productName}` : productName;
  }, [title]);
};
