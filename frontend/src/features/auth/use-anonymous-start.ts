import { useState } from 'react';
import { useNavigate } from 'react-router-dom';
import { startAnonymously } from '@/features/auth/api/start-anonymously';
import { copy } from '@/features/auth/copy';
import { signIn } from '@/product/identity';
import { toast } from '@/ui/toast-store';

/**
 * Returns `start`, which starts an anonymous session and navigates to /chat; `isStarting` is true until then.
 * @param failureToast  shown when the session could not be started
 * @param prepareChat  loads the code of /chat during the request, so that the navigation shows the page immediately
 */
export const useAnonymousStart = (
  failureToast: { title: string; description: string },
  prepareChat: () => Promise<void>,
) => {
  const navigate = useNavigate();
  const [isStarting, setStarting] = useState(false);
  const start = async (): Promise<void> => {
    setStarting(true);
    try {
      const [user] = await Promise.all([startAnonymously(), prepareChat()]);
      signIn(user);
      toast(copy.toasts.anonymousStarted);
      await navigate('/chat');
    } catch (error) {
      console.warn('The anonymous session did not start', error);
      toast({ ...failureToast, tone: 'destructive' });
      setStarting(false);
    }
  };
  return { start: () => void start(), isStarting };
};
