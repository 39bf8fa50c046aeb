import { useEffect } from 'react';

export const productName = 'Thaw';

/** Names the page in the tab and in the history; a number before it says how many messages wait. */
export const useDocumentTitle = (title?: string, unread = 0): void => {
  useEffect(() => {
    document.title = `${unread > 0 ? `(${unread}) ` : ''}${title ? `${title} · ${productName}` : productName}`;
  }, [title, unread]);
};
