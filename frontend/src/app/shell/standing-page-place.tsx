import { type SelfUser } from '@thaw/contract/users';
import { useEffect } from 'react';
import { useLocation, useNavigate } from 'react-router-dom';
import { DeleteAccountPlace, DownloadMyDataPlace } from '@/app/shell/my-data-parts';
import { NoticePlace } from '@/app/shell/notice-place';
import { StandingPage } from '@/features/standing/components/standing-page';

/** Shows the page that replaces the chat while the user is suspended or banned, with parts of other features. */
export const StandingPagePlace = ({ user, onLogout }: { user: SelfUser; onLogout: () => void }) => {
  const { search } = useLocation();
  const navigate = useNavigate();
  // Remove open dialogs and chats from the address, so that they do not reappear after the suspension.
  useEffect(() => {
    if (search !== '') void navigate('/chat', { replace: true });
  }, [search, navigate]);
  return (
    <>
      <StandingPage
        user={user}
        onLogout={onLogout}
        myDataButtons={
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
