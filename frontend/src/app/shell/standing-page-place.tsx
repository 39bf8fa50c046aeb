import { type SelfUser } from '@thaw/contract/users';
import { useEffect } from 'react';
import { useLocation, useNavigate } from 'react-router-dom';
import { DeleteAccountPlace, DownloadMyDataPlace } from '@/app/shell/my-data-parts';
import { NoticePlace } from '@/app/shell/notice-place';
import { StandingPage } from '@/features/standing/components/standing-page';

/** What a user whose account is paused or closed sees in place of the product. */
export const StandingPagePlace = ({ user, onLogout }: { user: SelfUser; onLogout: () => void }) => {
  const { search } = useLocation();
  const navigate = useNavigate();
  // What was open is closed, and stays closed when the user is back.
  useEffect(() => {
    if (search !== '') void navigate('/chat', { replace: true });
  }, [search, navigate]);
  return (
    <>
      <StandingPage
        user={user}
        onLogout={onLogout}
        myData={
          <>
            <DownloadMyDataPlace user={user} />
            <DeleteAccountPlace user={user} />
          </>
        }
      />
      <NoticePlace user={user} />
    </>
  );
};
