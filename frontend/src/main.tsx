import '@/config/zod';
import '@/styles/base.css';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { BrowserRouter } from 'react-router-dom';
import { App } from '@/app/app';
import { followIdentity, useIdentity } from '@/lib/identity';
import { reloadOnMissingChunk } from '@/lib/missing-chunk';
import { followTheme } from '@/lib/theme';

/** The live part of the page is loaded once there is somebody to connect; a visitor opens no socket (A143). */
const startRealtimeOnce = async (): Promise<void> => {
  const { startRealtime } = await import('@/app/realtime');
  startRealtime();
};

const whenSomebodyIsHere = (run: () => void): void => {
  if (useIdentity.getState().user) return run();
  const stop = useIdentity.subscribe(({ user }) => {
    if (!user) return;
    stop();
    run();
  });
};

reloadOnMissingChunk();
followTheme();
followIdentity();
whenSomebodyIsHere(() => void startRealtimeOnce());

const app = <App inRouter={(routes) => <BrowserRouter>{routes}</BrowserRouter>} />;
const root = document.getElementById('root');
// The landing page comes rendered; the application's shell is empty.
if (root?.hasChildNodes()) hydrateRoot(root, app);
else if (root) createRoot(root).render(app);
