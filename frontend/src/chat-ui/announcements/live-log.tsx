import { useCallback, useState } from 'react';
import { createPortal } from 'react-dom';

export interface LogEntry {
  key: string;
  text: string;
}

/**
 * Older entries have been read out. Screen readers announce an entry when it is added, so removing it has no effect.
 */
const maxEntries = 5;

/** The latest announced entries, in order. An entry whose key is already present is not announced again. */
export const useLog = (candidates: readonly LogEntry[]): readonly LogEntry[] => {
  const [log, setLog] = useState<readonly LogEntry[]>([]);
  const newEntries = candidates.filter(({ key }) => !log.some((entry) => entry.key === key));
  if (newEntries.length > 0) setLog([...log, ...newEntries].slice(-maxEntries));
  return log;
};

const logsByHost = new WeakMap<Element, Element>();

/** A live region in a shadow tree: announced, but neither found by a page search nor copied with the messages. */
const getOrCreateLog = (host: Element, label: string): Element => {
  const known = logsByHost.get(host);
  if (known) return known;
  const log = document.createElement('div');
  log.setAttribute('role', 'log');
  log.setAttribute('aria-live', 'polite');
  log.setAttribute('aria-label', label);
  host.attachShadow({ mode: 'closed' }).append(log);
  logsByHost.set(host, log);
  return log;
};

/**
 * Announces appended entries to screen readers. Separate from the message list, which is virtual: remounted rows would
 * be announced again.
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
