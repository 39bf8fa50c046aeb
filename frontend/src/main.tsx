import '@/config/zod';
import '@/styles/base.css';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { BrowserRouter } from 'react-router-dom';
import { App } from '@/app/app';
import { loadPart } from '@/lib/missing-chunk';
import { useConnection } from '@/lib/socket/connection';
import { followIdentity, useIdentity } from '@/product/identity';
import { followTheme } from '@/product/theme';

/**
 * Loads the realtime code and opens the socket. If the code fails to load, the page offers Reconnect, as for a failed
 * connection, and retries when the browser is online.
 */
const loadRealtime = async (): Promise<void> => {
  useConnection.setState({ status: { kind: 'connecting' } });
  try {
    const { startRealtime } = await loadPart(() => import('@/app/realtime'));
    startRealtime();
  } catch (error) {
    console.warn('The connection could not be set up', error);
    const retry = (): void => {
      window.removeEventListener('online', retry);
      useConnection.setState({ reconnect: () => undefined });
      void loadRealtime();
    };
    window.addEventListener('online', retry);
    useConnection.setState({ status: { kind: 'failed', canReconnect: true }, reconnect: retry });
  }
};

const runWhenSignedIn = (run: () => void): void => {
  if (useIdentity.getState().user) return run();
  const unsubscribe = useIdentity.subscribe(({ user }) => {
    if (!user) return;
    unsubscribe();
    run();
  });
};

followTheme();
followIdentity();
// Visitors open no socket (A143).
runWhenSignedIn(() => void loadRealtime());

const app = <App wrapInRouter={(routes) => <BrowserRouter>{routes}</BrowserRouter>} />;
const root = document.getElementById('root');
// The landing page is prerendered and hydrated; the placeholder in the other documents is replaced.
if (root?.dataset.rendered !== undefined) hydrateRoot(root, app);
else if (root) createRoot(root).render(app);
