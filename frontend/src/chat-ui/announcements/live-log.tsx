import { useCallback, useState } from 'react';
import { createPortal } from 'react-dom';

export interface LogEntry {
  key: string;
  text: string;
}

/** Number of entries that a log keeps. An entry is announced when it is added, so older ones can be removed. */
export const maxLogEntries = 5;

/**
 * Keeps the entries of a log: appends the candidates whose keys the log does not contain.
 * @param candidates  at most `maxLogEntries`. Otherwise the log drops some of them, and the next render appends them
 *   again
 * @returns the latest entries, in order
 */
export const useLog = (candidates: readonly LogEntry[]): readonly LogEntry[] => {
  const [log, setLog] = useState<readonly LogEntry[]>([]);
  const newEntries = candidates.filter(({ key }) => !log.some((entry) => entry.key === key));
  // Setting state during rendering makes React render again at once; then no candidate is new.
  if (newEntries.length > 0) setLog([...log, ...newEntries].slice(-maxLogEntries));
  return log;
};

/** The log of each host. React may call a ref twice for one host, which accepts only one shadow tree. */
const logElementsByHost = new WeakMap<Element, Element>();

/** A live region in a shadow tree: announced, but not found by the browser's search, nor copied with messages. */
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
  const mount = useCallback(
    (host: Element | null) => setLogElement(host && getOrCreateLogElement(host, label)),
    [label],
  );
  return (
    <div ref={mount} className="sr-only">
      {logElement
        ? createPortal(
            entries.map(({ key, text }) => (
              <p key={key} dir="auto">
                {text}
              </p>
            )),
            logElement,
          )
        : null}
    </div>
  );
};
