/**
 * A tab of a browser that Playwright does not drive itself. Elements are addressed by XPath, which WebDriver and
 * WebDriver BiDi support.
 */
export interface Tab {
  open: (url: string) => Promise<void>;
  isShown: (xpath: string) => Promise<boolean>;
  /** Clicks the centre of the element, as a mouse does. */
  click: (xpath: string) => Promise<void>;
  /** Types into the element, key by key. */
  type: (xpath: string, text: string) => Promise<void>;
  press: (xpath: string, key: Key) => Promise<void>;
  /** Exceptions and console errors, where the protocol reports them. */
  pageErrors: () => readonly string[];
}

export type Key = 'Enter' | 'ArrowUp';

export interface Browser {
  /** Opens a tab with cookies and storage of its own. */
  newVisitor: () => Promise<Tab>;
  close: () => Promise<void>;
}
