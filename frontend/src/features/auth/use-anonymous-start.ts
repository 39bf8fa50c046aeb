import { useState } from 'react';
import { useNavigate } from 'react-router-dom';
import { startAnonymously } from '@/features/auth/api/start-anonymously';
import { copy } from '@/features/auth/copy';
import { signIn } from '@/product/identity';
import { toast } from '@/ui/toast-store';

/**
 * Starts an anonymous session and navigates to /chat. `isStarting` stays true until then, while `prepare` loads the
 * page.
 * Shows the toast `failure` on an error.
 */
export const useAnonymousStart = (
  failure: { title: string; description: string },
  prepare: () => Promise<void>,
) => {
  const navigate = useNavigate();
  const [isStarting, setStarting] = useState(false);
  const start = async (): Promise<void> => {
    setStarting(true);
    try {
      const [user] = await Promise.all([startAnonymously(), prepare()]);
      signIn(user);
      toast(copy.toasts.anonymousStarted);
      await navigate('/chat');
    } catch (error) {
      console.warn('The anonymous session did not start', error);
      toast({ ...failure, tone: 'destructive' });
      setStarting(false);
    }
  };
  return { start: () => void start(), isStarting };
};
