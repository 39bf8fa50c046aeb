import { WithQueries } from '@/app/with-queries';
import { AuthPage } from '@/features/auth/components/auth-page';

export const AuthRoute = () => (
  <WithQueries>
    <AuthPage />
  </WithQueries>
);
