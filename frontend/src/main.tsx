// Configures zod. First, because schemas read its configuration when they are created.
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
 * Loads the realtime code, which opens the socket. If the code fails to load, the page offers Reconnect, as for a
 * failed connection, and retries when the browser comes online.
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
      // Further presses of Reconnect do nothing while the code loads.
      useConnection.setState({ reconnect: () => undefined });
      void loadRealtime();
    };
    window.addEventListener('online', retry);
    useConnection.setState({ status: { kind: 'failed', canReconnect: true }, reconnect: retry });
  }
};

/** Calls `run` once: now if a user, registered or anonymous, is signed in, otherwise at the next sign-in. */
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
// Without a signed-in user, the page opens no socket.
runWhenSignedIn(() => void loadRealtime());

const app = <App wrapInRouter={(routes) => <BrowserRouter>{routes}</BrowserRouter>} />;
const root = document.getElementById('root');
// A prerendered page is hydrated. In the other documents, `render` replaces the content of the root, a placeholder.
if (root?.dataset.rendered !== undefined) hydrateRoot(root, app);
else if (root) createRoot(root).render(app);
