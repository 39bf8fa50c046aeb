import { useEffect } from 'react';

export const productName = 'Thaw';

/** Sets the title of the tab, prefixed with the number of unread messages. */
export const useDocumentTitle = (title?: string, unread = 0): void => {
  useEffect(() => {
    document.title = `${unread > 0 ? `(${unread}) ` : ''}${title ? `${title} · ${productName}` : productName}`;
  }, [title, unread]);
};
