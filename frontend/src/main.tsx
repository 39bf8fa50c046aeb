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
 * The live part of the page is loaded once there is a user to connect; a visitor opens no socket (A143). When it does
 * not load, the page offers Reconnect, as for a connection that failed, and tries again when the browser is online.
 */
const startRealtimeOnce = async (): Promise<void> => {
  useConnection.setState({ status: { kind: 'connecting' } });
  try {
    const { startRealtime } = await loadPart(() => import('@/app/realtime'));
    startRealtime();
  } catch (error) {
    console.warn('The connection could not be set up', error);
    const again = (): void => {
      window.removeEventListener('online', again);
      useConnection.setState({ reconnect: () => undefined });
      void startRealtimeOnce();
    };
    window.addEventListener('online', again);
    useConnection.setState({ status: { kind: 'failed', canReconnect: true }, reconnect: again });
  }
};

const whenSomebodyIsHere = (run: () => void): void => {
  if (useIdentity.getState().user) return run();
  const stop = useIdentity.subscribe(({ user }) => {
    if (!user) return;
    stop();
    run();
  });
};

followTheme();
followIdentity();
whenSomebodyIsHere(() => void startRealtimeOnce());

const app = <App inRouter={(routes) => <BrowserRouter>{routes}</BrowserRouter>} />;
const root = document.getElementById('root');
// The landing page comes rendered; what stands in the other documents is replaced.
if (root?.dataset.rendered !== undefined) hydrateRoot(root, app);
else if (root) createRoot(root).render(app);
