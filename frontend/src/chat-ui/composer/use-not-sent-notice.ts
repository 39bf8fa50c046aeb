import { useCallback, useState } from 'react';
import { useIsConnected } from '@/lib/socket/connection';

/**
 * Whether the notice "not sent" is shown, after an attempt to send without a connection. It is hidden when the
 * connection is back. `reportOutcome` shows or hides it after each attempt, and returns its argument.
 */
export const useNotSentNotice = () => {
  const [isNotSentShown, setNotSentShown] = useState(false);
  const isConnected = useIsConnected();
  if (isConnected && isNotSentShown) setNotSentShown(false);
  const reportOutcome = useCallback((wasAccepted: boolean): boolean => {
    setNotSentShown(!wasAccepted);
    return wasAccepted;
  }, []);
  return { isNotSentShown, reportOutcome };
};
