import { useCallback, useState } from 'react';
import { createPortal } from 'react-dom';

export interface LogEntry {
  key: string;
  text: string;
}

/** Number of entries that a log keeps. It can drop older ones, because an entry is announced when it is added. */
export const maxLogEntries = 5;

/**
 * Keeps a log in the state of a component: appends the candidates whose keys it does not contain.
 * @param candidates  at most `maxLogEntries`, because a candidate that the log drops would be appended again
 * @returns the latest entries, oldest first
 */
export const useLog = (candidates: readonly LogEntry[]): readonly LogEntry[] => {
  const [log, setLog] = useState<readonly LogEntry[]>([]);
  const newEntries = candidates.filter(({ key }) => !log.some((entry) => entry.key === key));
  // React then renders again at once, without new entries.
  if (newEntries.length > 0) setLog([...log, ...newEntries].slice(-maxLogEntries));
  return log;
};

/** The live region of each host. React may call a ref twice, but an element accepts only one shadow tree. */
const logElementsByHost = new WeakMap<Element, Element>();

/**
 * Returns the live region in the shadow tree of `host`. Screen readers announce its text, but the browser's search does
 * not find it, and copying messages does not copy it.
 */
const getOrCreateLogElement = (host: Element, label: string): Element => {
  const existing = logElementsByHost.get(host);
  if (existing) return existing;
  const logElement = document.createElement('div');
  logElement.setAttribute('role', 'log');
  logElement.setAttribute('aria-live', 'polite');
  logElement.setAttribute('aria-label', label);
  host.attachShadow({ mode: 'closed' }).append(logElement);
  logElementsByHost.set(host, logElement);
  return logElement;
};

/**
 * Announces appended entries to screen readers. Separate from the message list: that list mounts only the rows in view,
 * so a row that is scrolled back into view would be announced again.
 * @param props.label  names the log for screen readers; a later change has no effect
 */
export const LiveLog = ({ label, entries }: { label: string; entries: readonly LogEntry[] }) => {
  const [logElement, setLogElement] = useState<Element | null>(null);
  const attachLog = useCallback(
    (host: Element | null) => setLogElement(host ? getOrCreateLogElement(host, label) : null),
    [label],
  );
  const paragraphs = entries.map(({ key, text }) => (
    <p key={key} dir="auto">
      {text}
    </p>
  ));
  return (
    <div ref={attachLog} className="sr-only">
      {logElement ? createPortal(paragraphs, logElement) : null}
    </div>
  );
};
