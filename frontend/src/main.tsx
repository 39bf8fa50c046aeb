import '@/config/zod';
import '@/styles/base.css';
import { createRoot } from 'react-dom/client';
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

const root = document.getElementById('root');
if (root) createRoot(root).render(<App />);
