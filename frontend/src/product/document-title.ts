import { useEffect } from 'react';

export const productName = 'Thaw';

/** Sets the title of the tab, prefixed with the number of unread messages. */
export const useDocumentTitle = (title?: string, unread = 0): void => {
  useEffect(() => {
    const prefix = unread > 0 ? `(${unread}) ` : '';
    const name = title ? `${title} · ${productName}` : productName;
    document.title = `${prefix}${name}`;
  }, [title, unread]);
};
