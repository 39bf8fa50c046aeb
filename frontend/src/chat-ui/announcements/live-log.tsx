import { useCallback, useState } from 'react';
import { createPortal } from 'react-dom';

export interface LogEntry {
  key: string;
  text: string;
}

/** Number of entries that a log keeps. Screen readers announce an entry when it is added; older ones can be removed. */
export const maxLogEntries = 5;

/**
 * Keeps the entries of a log: appends the candidates whose keys the log does not contain.
 * @param candidates  at most `maxLogEntries`: of more, the removed ones would be appended again at each render
 * @returns the latest entries, in order
 */
export const useLog = (candidates: readonly LogEntry[]): readonly LogEntry[] => {
  const [log, setLog] = useState<readonly LogEntry[]>([]);
  const newEntries = candidates.filter(({ key }) => !log.some((entry) => entry.key === key));
  // Setting state during rendering makes React render again at once; then no candidate is new.
  if (newEntries.length > 0) setLog([...log, ...newEntries].slice(-maxLogEntries));
  return log;
};

/** The log in the shadow tree of each host. An element accepts one shadow tree, but React may call its ref twice. */
const logsByHost = new WeakMap<Element, Element>();

/** A live region in a shadow tree: announced, but neither found by a page search nor copied with the messages. */
const getOrCreateLog = (host: Element, label: string): Element => {
  const existing = logsByHost.get(host);
  if (existing) return existing;
  const log = document.createElement('div');
  log.setAttribute('role', 'log');
  log.setAttribute('aria-live', 'polite');
  log.setAttribute('aria-label', label);
  host.attachShadow({ mode: 'closed' }).append(log);
  logsByHost.set(host, log);
  return log;
};

/**
 * Announces appended entries to screen readers. Separate from the message list: that list mounts only the rows in view,
 * so a row that is scrolled back into view would be announced again.
 * @param props.label  names the log for screen readers; a later change has no effect
 */
export const LiveLog = ({ label, entries }: { label: string; entries: readonly LogEntry[] }) => {
  const [log, setLog] = useState<Element | null>(null);
  const mount = useCallback((host: Element | null) => setLog(host && getOrCreateLog(host, label)), [label]);
  return (
    <div ref={mount} className="sr-only">
      {log
        ? createPortal(
            entries.map(({ key, text }) => (
              <p key={key} dir="auto">
                {text}
              </p>
            )),
            log,
          )
        : null}
    </div>
  );
};
