/** One page of a browser that Playwright does not drive itself. Elements are named by XPath, which every protocol knows. */
export interface Tab {
  open: (url: string) => Promise<void>;
  isShown: (xpath: string) => Promise<boolean>;
  /** Presses the middle of the element, as a mouse does. */
  click: (xpath: string) => Promise<void>;
  /** Types into the element, key by key. */
  type: (xpath: string, text: string) => Promise<void>;
  press: (xpath: string, key: Key) => Promise<void>;
  /** What was thrown or written to the console as an error, where the protocol reports it. */
  complaints: () => readonly string[];
}

export type Key = 'Enter' | 'ArrowUp';

export interface Browser {
  /** A page with cookies and storage of its own. */
  newVisitor: () => Promise<Tab>;
  close: () => Promise<void>;
}
